# A worker that is gone before there is an epoch is nobody's loss.
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

exit w0
status
----
close w0 FAILED_PRECONDITION stale_incarnation: worker 'w0' of job 'wan' counts as lost: its process ended
note worker_lost wan w0: its process ended: signal 9
job wan waiting reserved E0

hello w1 host=a dev=1
hello w0b id=w0 host=a dev=0
----
note worker_joined wan w1: on a
send w1 t1.2
note worker_joined wan w0: on a
journal reserved E1 r0=w0 r1=w1
send w0b t1.3
note epoch_reserved wan E1
send w0b t1.4 prepare E1 as r0
send w1 t1.5 prepare E1 as r1
