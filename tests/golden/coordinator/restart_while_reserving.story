journal auto
start
apply mesh=dp=2
journal held
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

# The reservation is lost: nobody heard of epoch 1, so its number is free.
restart
journaled
hello w0
hello w1
journaled
----
journal term 2
note worker_joined wan w0: on a
send w0 t2.1
note worker_joined wan w1: on a
journal reserved E1 r0=w0 r1=w1
send w1 t2.2
note epoch_reserved wan E1
send w0 t2.3 prepare E1 as r0
send w1 t2.4 prepare E1 as r1

# Epoch 1 is on disk, the answer is not: the number is used up.
restart
journaled
hello w0 w1
----
journal term 3
note worker_joined wan w0: on a
send w0 t3.1
note worker_joined wan w1: on a
journal reserved E2
send w1 t3.2

journaled
status
----
note epoch_reserved wan E2
send w0 t3.3 prepare E2 as r0
send w1 t3.4 prepare E2 as r1
job wan preparing reserved E2 r0=w0 r1=w1
