journal auto
start
apply mesh=dp=2 spares=1
hello w0 host=a dev=0
hello w1 host=a dev=1
----
journal term 1
journal accepted wan request=r1
note job_accepted wan: world 2, main(dp=2), spares 1, recovery 30s
reply 1 OK uid=1 generation=1
note worker_joined wan w0: on a
send w0 t1.1
note worker_joined wan w1: on a
journal reserved E1 r0=w0 r1=w1
send w1 t1.2
note epoch_reserved wan E1
send w0 t1.3 prepare E1 as r0
send w1 t1.4 prepare E1 as r1

hello w2 host=b dev=0
----
note worker_joined wan w2: on b
send w2 t1.5

hello w3 host=b dev=1
----
note worker_refused wan w3: job 'wan' is full: 3 workers for 2 seats and 1 spares
close w3 RESOURCE_EXHAUSTED job_full: job 'wan' is full: 3 workers for 2 seats and 1 spares

hello w4 host=c dev=0 rank=1
hello w5 host=c dev=0 rank=7
----
note worker_refused wan w4: job 'wan' is full: 3 workers for 2 seats and 1 spares
close w4 RESOURCE_EXHAUSTED job_full: job 'wan' is full: 3 workers for 2 seats and 1 spares
note worker_refused wan w5: worker 'w5' asks for rank 7, want 0 to 1
close w5 OUT_OF_RANGE rank_out_of_range: worker 'w5' asks for rank 7, want 0 to 1
