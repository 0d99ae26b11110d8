# Recovery 3 s: lease 1 s, margin 200 ms. Nobody proves the end of the old process.
journal auto
start
apply mesh=dp=2 recovery=3s
hello w0 host=a dev=0
hello w1 host=a dev=1
prepared w0 w1 epoch=1
built w0 w1 epoch=1
active w0 w1 epoch=1
----
journal term 1
journal accepted wan request=r1
note job_accepted wan: world 2, main(dp=2), spares 0, recovery 3s
reply 1 OK uid=1 generation=1
note worker_joined wan w0: on a
send w0 t1.1
note worker_joined wan w1: on a
journal reserved E1 r0=w0 r1=w1
send w1 t1.2
note epoch_reserved wan E1
send w0 t1.3 prepare E1 as r0
send w1 t1.4 prepare E1 as r1
note epoch_building wan E1
send w0 t1.5 build E1 as r0 peers=2
send w1 t1.6 build E1 as r1 peers=2
journal committed E1 r0=w0 r1=w1
note epoch_committed wan E1
send w0 t1.7 committed E1 as r0
send w1 t1.8 committed E1 as r1
note epoch_active wan E1

hello w1b id=w1 host=a dev=1
tick 200ms w0
----
send w1 t1.9 committed E1 as r1 ping 1
close w1 FAILED_PRECONDITION stale_incarnation: worker 'w1' of job 'wan' counts as lost: a newer process took its identity
note worker_lost wan w1: a newer process took its identity
note epoch_ended wan E1 r1 w1: rank 1 was lost
note worker_joined wan w1: on a
send w0 t1.10 committed E1 as r0 lost r1(w1 superseded) probe pid 102
send w1b t1.11 probe pid 102

ended w0 epoch=1
tick 950ms w0 w1b
----
send w0 t1.12 committed E1 as r0 lost r1(w1 superseded) probe pid 102 waiting_for="1 of 2 ranks are here, missing: ranks 1"
send w1b t1.13 probe pid 102 waiting_for="1 of 2 ranks are here, missing: ranks 1"

tick 50ms w0 w1b
----
journal reserved E2
note epoch_reserved wan E2
send w0 t1.14 committed E1 as r0 lost r1(w1 superseded) prepare E2 as r0 waiting_for="1 of 2 ranks are here, missing: ranks 1"
send w1b t1.15 prepare E2 as r1 waiting_for="1 of 2 ranks are here, missing: ranks 1"
