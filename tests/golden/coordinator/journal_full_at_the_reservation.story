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

journaled full
status
----
note read_only wan E1: the journal is full: nothing new is decided until it has room and the coordinator is started again
job wan waiting reserved E1

# Room was made; a new start writes again.
restart
journaled
hello w0 w1
----
journal term 2
note worker_joined wan w0: on a
send w0 t2.1
note worker_joined wan w1: on a
journal reserved E1 r0=w0 r1=w1
send w1 t2.2
