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
built w0 epoch=1
exit w1
----
note epoch_building wan E1
send w0 t1.5 build E1 as r0 peers=2
send w1 t1.6 build E1 as r1 peers=2
close w1 FAILED_PRECONDITION stale_incarnation: worker 'w1' of job 'wan' counts as lost: its process ended
note worker_lost wan w1: its process ended: signal 9
send w0 t1.7 rollback E1 as r0

freed w0
hello w1b id=w1 host=a dev=1
tick 150ms w0 w1b
----
note epoch_rolled_back wan E1: rank 1 (worker w1 on a) was lost
send w0 t1.9
note worker_joined wan w1: on a
send w1b t1.11
journal reserved E2
note epoch_reserved wan E2
send w0 t1.12 prepare E2 as r0
send w1b t1.13 prepare E2 as r1
