-- run_summary: what one run asked and what came of it. In: $run_id.
-- Nothing billed is 0; something billed and none of it known is NULL. answered counts requests by their outcome as asked in this run; cost is of this run's attempts alone.
with mine as (
    select r.request_id, r.state from requests r where r.run_id = $run_id
),
spent as (
    select count(*) as attempts,
           count(*) filter (where t.billed = 'yes') as sure,
           count(*) filter (where t.billed <> 'no') as possible,
           sum(t.prompt_tokens) filter (where t.billed = 'yes') as prompt_tokens,
           sum(t.billable_output_tokens) filter (where t.billed = 'yes') as completion_tokens
    from attempts t where t.run_id = $run_id
),
dollars as (
    select sum(cost_usd) filter (where billed = 'yes') as cost_usd,
           sum(cost_upper_usd) filter (where billed <> 'no') as cost_upper_usd,
           count(*) filter (where unpriced_reason is not null) as unpriced_attempts,
           count(*) filter (where billed = 'maybe') as maybe_billed_attempts
    from attempt_costs where run_id = $run_id
)
select (select count(*) from mine where state = 'answered')::integer as answered,
       (select count(*) from mine where state = 'error')::integer as errors,
       spent.attempts::integer as attempts,
       if(sure = 0, 0, spent.prompt_tokens)::bigint as prompt_tokens,
       if(sure = 0, 0, spent.completion_tokens)::bigint as completion_tokens,
       if(sure = 0, 0::decimal(18, 12), dollars.cost_usd) as cost_usd,
       if(possible = 0, 0::decimal(18, 12), dollars.cost_upper_usd) as cost_upper_usd,
       dollars.unpriced_attempts::integer as unpriced_attempts,
       dollars.maybe_billed_attempts::integer as maybe_billed_attempts
from spent, dollars;
