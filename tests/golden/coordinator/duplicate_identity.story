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

# Another process claims to be w1. The holder is asked, and answers.
hello intruder id=w1 host=b dev=0
----
send w1 t1.9 committed E1 as r1 ping 1

report w1
----
note worker_refused wan w1: worker 'w1' is alive on a (pid 102); the process on b (pid 103) may not take its place
close intruder ALREADY_EXISTS duplicate_identity: worker 'w1' is alive on a (pid 102); the process on b (pid 103) may not take its place

# The same device under another name.
hello w2 host=a dev=1
status
----
note worker_refused wan w2: worker 'w2' asks for device gpu-a-1 of host a, which worker 'w1' on a holds
close w2 ALREADY_EXISTS duplicate_device: worker 'w2' asks for device gpu-a-1 of host a, which worker 'w1' on a holds
job wan active reserved E1 committed E1 r0=w0 r1=w1
