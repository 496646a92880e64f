-- runs: every run, the newest first, with what it asked. Parameters: none.
select u.run_id as run, strftime(u.started_at, '%Y-%m-%d %H:%M') as started, u.suite, u.origin,
       coalesce(u.status, 'going on') as status,
       (select count(*) from requests r where r.run_id = u.run_id) as requests,
       (select count(*) from attempts t where t.run_id = u.run_id) as attempts
from runs u
order by u.run_id desc;
