-- report_limits: the concurrency limit over time, seconds since its run began. In: $origin; $suite (NULL: all).
select u.run_id, u.run_key, e.provider, e.address, l.concurrency, l.reason,
       epoch(l.changed_at) - epoch(u.started_at) as at_s
from limits l
join runs u using (run_id)
join endpoints e using (endpoint_id)
where u.origin = $origin and ($suite is null or u.suite = $suite)
order by u.run_id, l.endpoint_id, l.changed_at
