# Four workers on two hosts come in any order; every write is answered by hand.
start
journaled
----
journal term 1

apply job=wan mesh=dp=2,tp=2
journaled
----
journal accepted wan request=r1
note job_accepted wan: world 4, main(dp=2 tp=2), spares 0, recovery 30s
reply 1 OK uid=1 generation=1

hello w3 host=n10 dev=0
hello w0 host=n2 dev=1
hello w1 host=n2 dev=0
----
note worker_joined wan w3: on n10
send w3 t1.1
note worker_joined wan w0: on n2
send w0 t1.2
note worker_joined wan w1: on n2
send w1 t1.3

# Seats are allotted now: n2 before n10, then by device.
hello w2 host=n10 dev=1
----
note worker_joined wan w2: on n10
journal reserved E1 r0=w1 r1=w0 r2=w3 r3=w2
send w2 t1.4

journaled
----
note epoch_reserved wan E1
send w0 t1.5 prepare E1 as r1
send w1 t1.6 prepare E1 as r0
send w2 t1.7 prepare E1 as r3
send w3 t1.8 prepare E1 as r2

prepared w0 w1 w2 epoch=1
----
(nothing)

prepared w3 epoch=1
----
note epoch_building wan E1
send w0 t1.9 build E1 as r1 peers=5
send w1 t1.10 build E1 as r0 peers=5
send w2 t1.11 build E1 as r3 peers=5
send w3 t1.12 build E1 as r2 peers=5

built w0 w1 w2 epoch=1
----
(nothing)

built w3 epoch=1
----
journal committed E1 r0=w1 r1=w0 r2=w3 r3=w2

journaled
----
note epoch_committed wan E1
send w0 t1.13 committed E1 as r1
send w1 t1.14 committed E1 as r0
send w2 t1.15 committed E1 as r3
send w3 t1.16 committed E1 as r2

active w0 w1 w2 epoch=1
active w3 epoch=1
status
----
note epoch_active wan E1
job wan active reserved E1 committed E1 r0=w1 r1=w0 r2=w3 r3=w2
