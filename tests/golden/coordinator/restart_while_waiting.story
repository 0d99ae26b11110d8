journal auto
start
apply mesh=dp=2
hello w0 host=a dev=0
----
journal term 1
journal accepted wan request=r1
note job_accepted wan: world 2, main(dp=2), spares 0, recovery 30s
reply 1 OK uid=1 generation=1
note worker_joined wan w0: on a
send w0 t1.1

# What comes before the term is written is turned away.
journal held
restart
hello w0
delete job=wan
----
journal term 2
close w0 UNAVAILABLE coordinator_lost: the coordinator is starting
reply 2 UNAVAILABLE coordinator_lost: the coordinator is starting

journaled
hello w0
status
----
note worker_joined wan w0: on a
send w0 t2.1
job wan waiting reserved E0

hello w1 host=a dev=1
journaled
----
note worker_joined wan w1: on a
journal reserved E1 r0=w0 r1=w1
send w1 t2.2
note epoch_reserved wan E1
send w0 t2.3 prepare E1 as r0
send w1 t2.4 prepare E1 as r1
