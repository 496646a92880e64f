-- cost: what was spent. In: $origins (list), $run_id, $provider, $from_at, $to_at (NULL: all; the end is
-- not in it). {keys} is a list of columns chosen from a fixed set by the program: run, model, provider,
-- suite, prompt, day, purpose. {costs} is attempt_costs, or what the same tokens would cost elsewhere.
-- Token counts are those surely billed; cost_upper_usd adds what may be billed.
-- Nothing billed: 0. All that is billed unpriced: NULL. Some unpriced: the sum of the priced ones, and
-- how many were not. The same for tokens that a provider does not state.
-- usd_per_correct: all that was surely spent per answer graded correct; NULL when some of it has no price.
with {with} spent as (
    select t.attempt_id, t.request_id, t.billed, t.prompt_tokens, t.billable_output_tokens,
           t.reasoning_tokens, t.cached_tokens,
           k.cost_usd, k.cost_upper_usd, k.unpriced_reason,
           u.run_key as run, a.model, e.provider, r.suite, p.name as prompt, r.purpose,
           t.sent_at::date::varchar as day,
           t.attempt_id in (select attempt_id from cells where outcome = 'correct') as correct
    from attempts t
    join {costs} k using (attempt_id)
    join requests r on r.request_id = t.request_id
    join runs u on u.run_id = t.run_id
    join arms a on a.arm_id = t.arm_id
    join endpoints e on e.endpoint_id = a.endpoint_id
    join prompts p on p.prompt_id = a.prompt_id
    where list_contains($origins, t.origin) and ($run_id is null or t.run_id = $run_id)
      and ($provider is null or e.provider = $provider)
      and ($from_at is null or t.sent_at >= $from_at) and ($to_at is null or t.sent_at < $to_at)
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
    count(*) filter (where billed = 'maybe')::bigint as maybe_billed_attempts,
    count(*) filter (where correct)::bigint as correct,
    if(count(*) filter (where billed = 'yes' and unpriced_reason is not null) = 0 and count(*) filter (where correct) > 0,
       coalesce(sum(cost_usd) filter (where billed = 'yes'), 0)::double / count(*) filter (where correct), null)
        as usd_per_correct
from spent
{group}
