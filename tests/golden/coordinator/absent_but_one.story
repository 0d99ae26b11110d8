journal auto
start
apply mesh=dp=2,tp=4 join=20s
hello w0 host=a dev=0
----
journal term 1
journal accepted wan request=r1
note job_accepted wan: world 8, main(dp=2 tp=4), spares 0, recovery 30s
reply 1 OK uid=1 generation=1
note worker_joined wan w0: on a
send w0 t1.1

# Workers that wait are told what for.
tick 1s w0
----
send w0 t1.2 waiting_for="1 of 8 ranks are here, missing: ranks 1-7"

tick 18950ms w0
----
(nothing)

# Everybody who is missing is named.
tick 50ms w0
----
close w0 DEADLINE_EXCEEDED deadline_exceeded: job 'wan' did not form within 20s: 1 of 8 workers are here, missing: ranks 1-7
note worker_lost wan w0: it left
