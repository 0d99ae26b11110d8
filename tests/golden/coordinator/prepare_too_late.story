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

prepared w0 epoch=1
tick 4950ms w0 w1
----
(nothing)

# The prepare deadline of 5 s names who is late.
tick 50ms w0 w1
----
send w0 t1.5 rollback E1 as r0
send w1 t1.6 rollback E1 as r1

freed w0
report w1
----
note epoch_rolled_back wan E1: ranks 1 did not prepare within 5s
send w0 t1.7
send w1 t1.8
