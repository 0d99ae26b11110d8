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
built w0 w1 epoch=1
active w0 w1 epoch=1
----
note epoch_building wan E1
send w0 t1.5 build E1 as r0 peers=2
send w1 t1.6 build E1 as r1 peers=2
journal committed E1 r0=w0 r1=w1
note epoch_committed wan E1
send w0 t1.7 committed E1 as r0
send w1 t1.8 committed E1 as r1
note epoch_active wan E1

journal held
delete job=wan request=d1
----
journal deleted request=d1

# The same request twice is one deletion, and gets one answer each time it is asked.
delete job=wan request=d1
----
(nothing)

journaled
----
reply 2 OK uid=1 generation=1
reply 3 OK uid=1 generation=1
note job_deleted wan E1
send w0 t1.9 deleted
send w1 t1.10 deleted

freeing w0 epoch=1
freed w0
----
(nothing)

freed w1
delete job=wan request=d1
delete job=wan request=d2
----
close w0 FAILED_PRECONDITION job_deleted: job 'wan' was deleted
close w1 FAILED_PRECONDITION job_deleted: job 'wan' was deleted
note job_gone wan E1
reply 4 OK uid=1 generation=1
reply 5 NOT_FOUND unknown_job: there is no job 'wan'
