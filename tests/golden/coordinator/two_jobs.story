journal auto
start
apply job=wan mesh=dp=2
apply job=lm mesh=tp=2
----
journal term 1
journal accepted wan request=r1
note job_accepted wan: world 2, main(dp=2), spares 0, recovery 30s
reply 1 OK uid=1 generation=1
journal accepted lm request=r2
note job_accepted lm: world 2, main(tp=2), spares 0, recovery 30s
reply 2 OK uid=2 generation=1

hello a0 job=wan host=a dev=0
hello b0 job=lm host=a dev=1
hello b1 job=lm host=a dev=2
----
note worker_joined wan a0: on a
send a0 t1.1
note worker_joined lm b0: on a
send b0 t1.2
note worker_joined lm b1: on a
journal reserved E1 r0=b0 r1=b1
send b1 t1.3
note epoch_reserved lm E1
send b0 t1.4 prepare E1 as r0
send b1 t1.5 prepare E1 as r1

hello a1 job=wan host=b dev=0
prepared a0 a1 epoch=1
prepared b0 b1 epoch=1
----
note worker_joined wan a1: on b
journal reserved E1 r0=a0 r1=a1
send a1 t1.6
note epoch_reserved wan E1
send a0 t1.7 prepare E1 as r0
send a1 t1.8 prepare E1 as r1
note epoch_building wan E1
send a0 t1.9 build E1 as r0 peers=2
send a1 t1.10 build E1 as r1 peers=2
note epoch_building lm E1
send b0 t1.11 build E1 as r0 peers=2
send b1 t1.12 build E1 as r1 peers=2

built b0 b1 epoch=1
active b0 b1 epoch=1
----
journal committed E1 r0=b0 r1=b1
note epoch_committed lm E1
send b0 t1.13 committed E1 as r0
send b1 t1.14 committed E1 as r1
note epoch_active lm E1

# What happens to one job is nothing to the other.
exit b1
status job=wan
status job=lm
----
close b1 FAILED_PRECONDITION stale_incarnation: worker 'b1' of job 'lm' counts as lost: its process ended
note worker_lost lm b1: its process ended: signal 9
note epoch_ended lm E1 r1 b1: rank 1 was lost
send b0 t1.15 committed E1 as r0 lost r1(b1 exit)
job wan building reserved E1 r0=a0 r1=a1
job lm ended reserved E1 committed E1 r0=b0 r1=b1

built a0 a1 epoch=1
active a0 a1 epoch=1
delete job=lm
----
journal committed E1 r0=a0 r1=a1
note epoch_committed wan E1
send a0 t1.17 committed E1 as r0
send a1 t1.18 committed E1 as r1
note epoch_active wan E1
journal deleted request=r3
reply 3 OK uid=2 generation=1
note job_deleted lm E1
send b0 t1.19 deleted

freed b0
status job=wan
status job=lm
----
close b0 FAILED_PRECONDITION job_deleted: job 'lm' was deleted
note job_gone lm E1
job wan active reserved E1 committed E1 r0=a0 r1=a1
no job lm
