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
failed w1 epoch=1 group=main.dp#0 peer=0 reason="connection refused"
----
note epoch_building wan E1
send w0 t1.5 build E1 as r0 peers=2
send w1 t1.6 build E1 as r1 peers=2
send w0 t1.7 rollback E1 as r0
send w1 t1.8 rollback E1 as r1

freed w0 w1
status
----
note epoch_rolled_back wan E1: rank 1 (worker w1 on a) could not build main.dp#0: connection refused (accused: rank 0)
send w0 t1.9
send w1 t1.10
job wan waiting reserved E1 r0=w0 r1=w1

# A new attempt is made after a pause, three in all.
tick 500ms w0 w1
----
journal reserved E2
note epoch_reserved wan E2
send w0 t1.11 prepare E2 as r0
send w1 t1.12 prepare E2 as r1

prepared w0 w1 epoch=2
failed w0 epoch=2 group=main.dp#0 reason="connection refused"
freed w0 w1
tick 1s w0 w1
----
note epoch_building wan E2
send w0 t1.13 build E2 as r0 peers=2
send w1 t1.14 build E2 as r1 peers=2
send w0 t1.15 rollback E2 as r0
send w1 t1.16 rollback E2 as r1
note epoch_rolled_back wan E2: rank 0 (worker w0 on a) could not build main.dp#0: connection refused
send w0 t1.17
send w1 t1.18
journal reserved E3
note epoch_reserved wan E3
send w0 t1.19 prepare E3 as r0
send w1 t1.20 prepare E3 as r1

prepared w0 w1 epoch=3
failed w0 epoch=3 group=main.dp#0 reason="connection refused"
freed w0 w1
tick 5s w0 w1
status
----
note epoch_building wan E3
send w0 t1.21 build E3 as r0 peers=2
send w1 t1.22 build E3 as r1 peers=2
send w0 t1.23 rollback E3 as r0
send w1 t1.24 rollback E3 as r1
note epoch_rolled_back wan E3: rank 0 (worker w0 on a) could not build main.dp#0: connection refused
note job_held wan E3: 3 attempts failed, the last one: rank 0 (worker w0 on a) could not build main.dp#0: connection refused
send w0 t1.25
send w1 t1.26
send w0 t1.27 waiting_for="3 attempts failed, the last one: rank 0 (worker w0 on a) could not build main.dp#0: connection refused"
send w1 t1.28 waiting_for="3 attempts failed, the last one: rank 0 (worker w0 on a) could not build main.dp#0: connection refused"
job wan waiting reserved E3 r0=w0 r1=w1 held="3 attempts failed, the last one: rank 0 (worker w0 on a) could not build main.dp#0: connection refused"
