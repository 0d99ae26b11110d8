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

# The journal is gone and so is all that was known. What runs is not adopted.
wipe
hello w0
----
journal term 1
close w0 FAILED_PRECONDITION unknown_store: this coordinator knows nothing of job 'wan' nor of the epoch that worker 'w0' holds

apply mesh=dp=2 request=r9
hello w1
----
journal accepted wan request=r9
note job_accepted wan: world 2, main(dp=2), spares 0, recovery 30s
reply 2 OK uid=1 generation=1
note worker_refused wan w1: worker 'w1' holds an epoch of journal 7; this coordinator has journal 8 and knows nothing of it
close w1 FAILED_PRECONDITION unknown_store: worker 'w1' holds an epoch of journal 7; this coordinator has journal 8 and knows nothing of it

# A process that holds nothing is welcome.
hello w2 host=b dev=0
----
note worker_joined wan w2: on b
send w2 t1.1
