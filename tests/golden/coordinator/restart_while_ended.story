journal auto
start
apply mesh=dp=2
hello w0 host=a dev=0
hello w1 host=a dev=1
----
journal term 1
journal accepted wan request=r1
note job_accepted wan: world 2, main(dp=2), spares 0, recovery 30s
reply 1 OK uid=1 generation=1
note worker_joined wan w0: on a
send w0 t1.1
note worker_joined wan w1: on a
journal reserved E1 r0=w0 r1=w1
send w1 t1.2
note epoch_reserved wan E1
send w0 t1.3 prepare E1 as r0
send w1 t1.4 prepare E1 as r1

prepared w0 w1 epoch=1
built w0 w1 epoch=1
active w0 w1 epoch=1
----
note epoch_building wan E1
send w0 t1.5 build E1 as r0 peers=2
send w1 t1.6 build E1 as r1 peers=2
journal committed E1 r0=w0 r1=w1
note epoch_committed wan E1
send w0 t1.7 committed E1 as r0
send w1 t1.8 committed E1 as r1
note epoch_active wan E1

exit w1
ended w0 epoch=1
----
close w1 FAILED_PRECONDITION stale_incarnation: worker 'w1' of job 'wan' counts as lost: its process ended
note worker_lost wan w1: its process ended: signal 9
note epoch_ended wan E1 r1 w1: rank 1 was lost
send w0 t1.9 committed E1 as r0 lost r1(w1 exit)

# Losses are not written; the absent member is found missing again.
restart
hello w0
----
journal term 2
note worker_back wan w0
note epoch_ended wan E1 r0 w0: rank 0 was lost
send w0 t2.1 committed E1 as r0 lost r0(w0 earlier)

# Its successor waits until the end of the old process is proved again.
hello w1b id=w1 host=a dev=1
----
note worker_lost wan w1: a newer process took its identity
note worker_joined wan w1: on a
send w0 t2.3 committed E1 as r0 lost r0(w0 earlier) lost r1(w1 superseded) probe pid 102
send w1b t2.4 probe pid 102

exit w1
----
journal reserved E2
note epoch_reserved wan E2
send w0 t2.5 committed E1 as r0 lost r0(w0 earlier) lost r1(w1 superseded) prepare E2 as r0
send w1b t2.6 prepare E2 as r1

prepared w0 w1b epoch=2
built w0 w1b epoch=2
freed w0 epoch=1
active w0 w1b epoch=2
status
----
note epoch_building wan E2
send w0 t2.7 committed E1 as r0 lost r0(w0 earlier) lost r1(w1 superseded) build E2 as r0 peers=2
send w1b t2.8 build E2 as r1 peers=2
journal committed E2 r0=w0 r1=w1
note epoch_committed wan E2
send w0 t2.9 committed E2 as r0
send w1b t2.10 committed E2 as r1
note epoch_active wan E2
job wan active reserved E2 committed E2 r0=w0 r1=w1
