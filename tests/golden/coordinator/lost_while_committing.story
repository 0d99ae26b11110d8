# Once the commit is handed to the journal there is no way back: the loss is one of the epoch.
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
journal held
built w0 w1 epoch=1
----
note epoch_building wan E1
send w0 t1.5 build E1 as r0 peers=2
send w1 t1.6 build E1 as r1 peers=2
journal committed E1 r0=w0 r1=w1

exit w1
----
close w1 FAILED_PRECONDITION stale_incarnation: worker 'w1' of job 'wan' counts as lost: its process ended
note worker_lost wan w1: its process ended: signal 9

journaled
status
----
note epoch_committed wan E1
note epoch_ended wan E1 r1 w1: rank 1 was lost
send w0 t1.7 committed E1 as r0 lost r1(w1 exit)
job wan ended reserved E1 committed E1 r0=w0 r1=w1

# The survivor was never active in it, and is told both at once.
ended w0 epoch=1
hello w1b id=w1 host=a dev=1
----
note worker_joined wan w1: on a
journal reserved E2
send w1b t1.9

journaled
----
note epoch_reserved wan E2
send w0 t1.10 committed E1 as r0 lost r1(w1 exit) prepare E2 as r0
send w1b t1.11 prepare E2 as r1
