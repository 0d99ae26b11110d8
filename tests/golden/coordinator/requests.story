journal auto
start
apply mesh=dp=2
apply mesh=dp=2
apply mesh=dp=4
apply mesh=dp=2 world=3 job=lm
----
journal term 1
journal accepted wan request=r1
note job_accepted wan: world 2, main(dp=2), spares 0, recovery 30s
reply 1 OK uid=1 generation=1
reply 2 OK uid=1 generation=1
reply 3 ALREADY_EXISTS job_exists: job 'wan' exists with a different spec: it has world 2, main(dp=2), spares 0, recovery 30s; asked for world 4, main(dp=4), spares 0, recovery 30s
reply 4 INVALID_ARGUMENT product_mismatch: mesh 'main': dp 2 = 2, want 3: rank 2 would be in no group

apply mesh=dp=2 request=r1
apply mesh=dp=4 request=r1
delete job=other
----
reply 5 OK uid=1 generation=1
reply 6 INVALID_ARGUMENT request_conflict: request id 'r1' was used for another request
reply 7 NOT_FOUND unknown_job: there is no job 'other'
