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

# w1 is cut off; its successor starts on the same host. The old process does not answer the ping.
hello w1b id=w1 host=a dev=1
----
send w1 t1.9 committed E1 as r1 ping 1

tick 200ms w0
----
close w1 FAILED_PRECONDITION stale_incarnation: worker 'w1' of job 'wan' counts as lost: a newer process took its identity
note worker_lost wan w1: a newer process took its identity
note epoch_ended wan E1 r1 w1: rank 1 was lost
note worker_joined wan w1: on a
send w0 t1.10 committed E1 as r0 lost r1(w1 superseded) probe pid 102
send w1b t1.11 probe pid 102

# The device is not given away before the end of the old process is proved.
ended w0 epoch=1
tick 100ms w0 w1b
status
----
job wan ended reserved E1 committed E1 r0=w0 r1=w1

# The process that was replaced dials again: it is not the holder any more.
hello w1
----
send w1b t1.12 probe pid 102 ping 2

exit w1
----
journal reserved E2
note epoch_reserved wan E2
send w0 t1.13 committed E1 as r0 lost r1(w1 superseded) prepare E2 as r0
send w1b t1.14 prepare E2 as r1 ping 2

prepared w0 w1b epoch=2
built w0 w1b epoch=2
freed w0 epoch=1
active w0 w1b epoch=2
status
----
note epoch_building wan E2
note worker_refused wan w1: worker 'w1' is alive on a (pid 103); the process on a (pid 102) may not take its place
close w1 ALREADY_EXISTS duplicate_identity: worker 'w1' is alive on a (pid 103); the process on a (pid 102) may not take its place
send w0 t1.15 committed E1 as r0 lost r1(w1 superseded) build E2 as r0 peers=2
send w1b t1.16 build E2 as r1 peers=2
journal committed E2 r0=w0 r1=w1
note epoch_committed wan E2
send w0 t1.17 committed E2 as r0
send w1b t1.18 committed E2 as r1
note epoch_active wan E2
job wan active reserved E2 committed E2 r0=w0 r1=w1
