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

journal held
delete job=wan
----
journal deleted request=r2

journaled
----
reply 2 OK uid=1 generation=1
note job_deleted wan
send w0 t1.2 deleted

# An empty assignment is the acknowledgement that counts.
report w0
status
----
close w0 FAILED_PRECONDITION job_deleted: job 'wan' was deleted
note job_gone wan
no job wan

apply mesh=dp=2
journaled
----
journal accepted wan request=r3
note job_accepted wan: world 2, main(dp=2), spares 0, recovery 30s
reply 3 OK uid=2 generation=1
