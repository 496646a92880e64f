-- report_spend: dollars over time, at most 200 steps a run. In: $origin; $suite (NULL: all).
-- cost_usd is surely billed, cost_upper_usd adds what may be; both sums since the run's first call.
with ends as (
    select t.run_id, coalesce(t.ended_at, t.sent_at) as moment, k.cost_usd, k.cost_upper_usd, k.unpriced_reason
    from attempts t
    join attempt_costs k using (attempt_id)
    join runs u on u.run_id = t.run_id
    where t.origin = $origin and ($suite is null or u.suite = $suite)
),
spans as (select run_id, min(moment) as first_at, max(moment) as last_at from ends group by run_id),
steps as (
    select run_id,
           least(199, floor(200 * (epoch(moment) - epoch(first_at)) / greatest(epoch(last_at) - epoch(first_at), 0.001))) as step,
           max(moment) as moment, first_at, sum(cost_usd) as cost_usd, sum(cost_upper_usd) as cost_upper_usd,
           count(*) as attempts, count(*) filter (where unpriced_reason is not null) as unpriced
    from ends join spans using (run_id)
    group by run_id, step, first_at
)
select run_id, first_at, epoch(moment) - epoch(first_at) as at_s,
       sum(cost_usd) over so_far as cost_usd, sum(cost_upper_usd) over so_far as cost_upper_usd,
       (sum(attempts) over so_far)::bigint as attempts, (sum(unpriced) over so_far)::bigint as unpriced
from steps
window so_far as (partition by run_id order by step)
order by run_id, step
