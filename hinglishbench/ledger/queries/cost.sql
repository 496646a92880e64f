-- cost: what was spent. In: $origins (list), $run_id (NULL: all). {keys} is a list of columns chosen from
-- a fixed set by the program: run, model, provider, suite, prompt, day, purpose.
-- Token counts are those surely billed; cost_upper_usd adds what may be billed.
-- Nothing billed: 0. All that is billed unpriced: NULL. Some unpriced: the sum of the priced ones, and
-- how many were not. The same for tokens that a provider does not state.
with spent as (
    select t.attempt_id, t.request_id, t.billed, t.prompt_tokens, t.billable_output_tokens,
           t.reasoning_tokens, t.cached_tokens,
           k.cost_usd, k.cost_upper_usd, k.unpriced_reason,
           u.run_key as run, a.model, e.provider, r.suite, p.name as prompt, r.purpose,
           t.sent_at::date::varchar as day,
           r.state = 'answered' and r.attempt_id = t.attempt_id as answers
    from attempts t
    join attempt_costs k using (attempt_id)
    join requests r on r.request_id = t.request_id
    join runs u on u.run_id = t.run_id
    join arms a on a.arm_id = t.arm_id
    join endpoints e on e.endpoint_id = a.endpoint_id
    join prompts p on p.prompt_id = a.prompt_id
    where list_contains($origins, t.origin) and ($run_id is null or t.run_id = $run_id)
)
select {keys}
    count(distinct request_id)::bigint as cells,
    count(*)::bigint as attempts,
    if(count(*) filter (where billed = 'yes') = 0, 0, sum(prompt_tokens) filter (where billed = 'yes'))::bigint
        as prompt_tokens,
    if(count(*) filter (where billed = 'yes') = 0, 0, sum(billable_output_tokens) filter (where billed = 'yes'))::bigint
        as completion_tokens,
    if(count(*) filter (where billed = 'yes') = 0, 0, sum(reasoning_tokens) filter (where billed = 'yes'))::bigint
        as reasoning_tokens,
    if(count(*) filter (where billed = 'yes') = 0, 0, sum(cached_tokens) filter (where billed = 'yes'))::bigint
        as cached_tokens,
    if(count(*) filter (where billed = 'yes') = 0, 0::decimal(18, 12),
       sum(cost_usd) filter (where billed = 'yes')) as cost_usd,
    if(count(*) filter (where billed <> 'no') = 0, 0::decimal(18, 12),
       sum(cost_upper_usd) filter (where billed <> 'no')) as cost_upper_usd,
    count(*) filter (where unpriced_reason is not null)::bigint as unpriced_attempts,
    count(*) filter (where billed = 'maybe')::bigint as maybe_billed_attempts
from spent
{group}
