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
journaled full
----
note epoch_building wan E1
send w0 t1.5 build E1 as r0 peers=2
send w1 t1.6 build E1 as r1 peers=2
journal committed E1 r0=w0 r1=w1
note read_only wan E1: the journal is full: nothing new is decided until it has room and the coordinator is started again
send w0 t1.7 rollback E1 as r0
send w1 t1.8 rollback E1 as r1

freed w0 w1
status
----
note epoch_rolled_back wan E1: the journal is full
note job_held wan E1: the journal is full
send w0 t1.9
send w1 t1.10
job wan waiting reserved E1 r0=w0 r1=w1 held="the journal is full"
