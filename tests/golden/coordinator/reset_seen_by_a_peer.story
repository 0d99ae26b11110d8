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

reset w1
----
note worker_suspected wan w1: stream reset

# A peer saw its connection break too: two signals are enough.
peer_reset w0 rank=1
----
note worker_lost wan w1: its stream was reset and it did not come back
note epoch_ended wan E1 r1 w1: rank 1 was lost
send w0 t1.9 committed E1 as r0 lost r1(w1 reset) probe pid 102
