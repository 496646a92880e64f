-- report_runs: the runs behind the answers of one origin, the oldest first. In: $origin; $suite (NULL: all).
select u.run_id, u.run_key, u.suite, u.version, u.options, u.started_at, u.ended_at, coalesce(u.status, 'going on') as status,
       count(t.attempt_id) as attempts
from runs u
left join attempts t using (run_id)
where u.origin = $origin and ($suite is null or u.suite = $suite)
group by all
order by u.started_at, u.run_id
