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

reset w1
----
note worker_suspected wan w1: stream reset

tick 100ms w0
----
(nothing)

# It is back within its grace: nothing happened.
hello w1
tick 1s w0 w1
status
----
note worker_back wan w1
send w1 t1.9 committed E1 as r1
job wan active reserved E1 committed E1 r0=w0 r1=w1

reset w1
tick 100ms w0
----
note worker_suspected wan w1: stream reset

# This time it stays away.
tick 50ms w0
----
note worker_lost wan w1: its stream was reset and it did not come back
note epoch_ended wan E1 r1 w1: rank 1 was lost
send w0 t1.10 committed E1 as r0 lost r1(w1 reset) probe pid 102

# A process that counts as lost comes back, and is a member of the next epoch.
ended w0 epoch=1
hello w1
----
note worker_back wan w1
journal reserved E2
send w1 t1.12 committed E1 as r1 lost r1(w1 reset)
note epoch_reserved wan E2
send w0 t1.13 committed E1 as r0 lost r1(w1 reset) prepare E2 as r0
send w1 t1.14 committed E1 as r1 lost r1(w1 reset) prepare E2 as r1
