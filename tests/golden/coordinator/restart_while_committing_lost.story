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

# The commit is lost: both are in doubt until they hear that it was aborted.
restart
journaled
hello w0 w1
----
journal term 2
note worker_joined wan w0: on a
send w0 t2.1
note worker_joined wan w1: on a
note job_held wan E1: ranks 0-1 have not given back an earlier epoch
send w1 t2.2

freed w0 w1
tick 50ms w0 w1
----
note job_held wan E1: ranks 1 have not given back an earlier epoch
journal reserved E2
