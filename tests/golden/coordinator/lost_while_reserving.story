# The reservation is written by then, so its number is used up.
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

exit w1
----
close w1 FAILED_PRECONDITION stale_incarnation: worker 'w1' of job 'wan' counts as lost: its process ended
note worker_lost wan w1: its process ended: signal 9

journaled
status
----
job wan waiting reserved E1 r0=w0 r1=w1

hello w1b id=w1 host=a dev=1
journaled
----
note worker_joined wan w1: on a
journal reserved E2
send w1b t1.3
note epoch_reserved wan E2
send w0 t1.4 prepare E2 as r0
send w1b t1.5 prepare E2 as r1
