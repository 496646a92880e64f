-- The views that people and commands read. Dollars are derived here, from counts and dated prices.

-- arm_prices: the price in force for each arm: one row for each stretch of time, part of the day and
-- prompt size. Of the sources that have a price by then the one with the lowest priority number rules,
-- with its newest start; of sets recorded for the same start the last one.
-- max_input_usd and max_output_usd: the dearest that a token can cost, this size or a smaller one.
create view arm_prices as
with offered as (
    select a.arm_id, p.*
    from arms a
    join endpoints e using (endpoint_id)
    join prices p on p.provider = e.provider and p.model = a.model
    where p.route is null or p.route = e.route
),
newest as (
    select * from offered
    qualify set_id = max(set_id) over (partition by arm_id, priority, source, route, start_at)
),
stretches as (
    select arm_id, start_at,
        coalesce(lead(start_at) over (partition by arm_id order by start_at), timestamp '9999-12-31') as end_at
    from (select distinct arm_id, start_at from newest)
),
ruling as (
    select s.arm_id, s.start_at, s.end_at, n.set_id
    from stretches s
    join (select distinct arm_id, set_id, priority, start_at, route from newest) n
        on n.arm_id = s.arm_id and n.start_at <= s.start_at
    qualify row_number() over (
        partition by s.arm_id, s.start_at order by n.priority, n.start_at desc, n.route nulls last, n.set_id desc
    ) = 1
)
select
    r.arm_id, n.price_id, n.source, r.start_at, r.end_at,
    n.input_usd, coalesce(n.cached_input_usd, n.input_usd) as cached_input_usd,
    n.output_usd, coalesce(n.reasoning_usd, n.output_usd) as reasoning_usd,
    coalesce(n.request_usd, 0) as request_usd,
    case when n.above_tokens = 0 then -1 else n.above_tokens end as above_tokens,
    coalesce(lead(n.above_tokens) over sizes, 2147483647) as upto_tokens,
    n.day_from_s, n.day_to_s,
    greatest(coalesce(n.cache_write_usd, n.input_usd) - n.input_usd, 0) as write_extra_usd,
    max(greatest(n.input_usd, coalesce(n.cached_input_usd, n.input_usd), coalesce(n.cache_write_usd, n.input_usd)))
        over sizes as max_input_usd,
    max(greatest(n.output_usd, coalesce(n.reasoning_usd, n.output_usd))) over sizes as max_output_usd
from ruling r
join newest n on n.arm_id = r.arm_id and n.set_id = r.set_id
window sizes as (partition by r.arm_id, r.start_at, n.day_from_s order by n.above_tokens);

-- sure_costs: each attempt with its counts and what it surely cost (by its own prompt's price). A view of
-- its own: tables of pairs need it for a million answers, and looking up what a call may have cost at
-- most would double their time.
create view sure_costs as
with counted as (
    select
        attempt_id, request_id, run_id, arm_id, origin, billed, sent_at, finish_reason, reported_cost_usd,
        prompt_tokens is null or billable_output_tokens is null as no_usage,
        prompt_tokens, least(coalesce(cached_tokens, 0), prompt_tokens) as cached,
        billable_output_tokens, least(coalesce(reasoning_tokens, 0), billable_output_tokens) as reasoning,
        greatest(upper_prompt_tokens, prompt_tokens) as upper_prompt,
        greatest(upper_output_tokens, billable_output_tokens) as upper_output,
        (epoch_us(sent_at) // 1000000) % 86400 as second_of_day
    from attempts
),
computed as (
    select
        t.*, p.price_id, p.source, p.request_usd,
        ((t.prompt_tokens - t.cached) * p.input_usd + t.cached * p.cached_input_usd
            + (t.billable_output_tokens - t.reasoning) * p.output_usd + t.reasoning * p.reasoning_usd
            + p.request_usd)::decimal(18, 12) as sure_usd,
        -- counts are known: only what is read two ways, or written to a cache, is in doubt
        ((t.prompt_tokens - t.cached) * p.write_extra_usd
            + (t.upper_output - t.billable_output_tokens) * p.max_output_usd)::decimal(18, 12) as doubt_usd
    from counted t
    left join arm_prices p
        on p.arm_id = t.arm_id and t.sent_at >= p.start_at and t.sent_at < p.end_at
        and t.second_of_day >= p.day_from_s and t.second_of_day < p.day_to_s
        and coalesce(t.prompt_tokens, 0) > p.above_tokens and coalesce(t.prompt_tokens, 0) <= p.upto_tokens
)
select
    *,
    case billed
        when 'no' then 0::decimal(18, 12)
        when 'yes' then coalesce(reported_cost_usd, sure_usd)
    end as cost_usd
from computed;

-- attempt_costs: dollars of every attempt. cost_usd is what is surely billed; cost_upper_usd adds what
-- may be. Unknown is NULL with its reason, never 0; an attempt that was surely not billed costs 0.
create view attempt_costs as
with bounded as (
    select
        t.*,
        (t.upper_prompt * b.max_input_usd + t.upper_output * b.max_output_usd
            + t.request_usd)::decimal(18, 12) as bound_usd
    from sure_costs t
    left join arm_prices b
        on b.arm_id = t.arm_id and t.sent_at >= b.start_at and t.sent_at < b.end_at
        and t.second_of_day >= b.day_from_s and t.second_of_day < b.day_to_s
        and coalesce(t.upper_prompt, 0) > b.above_tokens and coalesce(t.upper_prompt, 0) <= b.upto_tokens
)
select
    attempt_id, request_id, run_id, arm_id, origin, billed, sent_at, price_id,
    cost_usd,
    case billed
        when 'no' then 0::decimal(18, 12)
        when 'yes' then coalesce(reported_cost_usd, sure_usd + coalesce(doubt_usd, 0), bound_usd)
        when 'maybe' then coalesce(reported_cost_usd, bound_usd)
    end as cost_upper_usd,
    case
        when billed = 'no' then 'not billed'
        when reported_cost_usd is not null then 'stated by the provider'
        when price_id is not null then source
    end as price_source,
    case
        when billed = 'no' or reported_cost_usd is not null then null
        when billed = 'maybe' and bound_usd is null and price_id is not null then 'no bound'
        when price_id is null or sure_usd is null and not no_usage and billed = 'yes' then 'no price'
        when billed = 'yes' and no_usage then 'no usage'
    end as unpriced_reason
from bounded;

-- answers: one row a cell: who was asked what, what came back, its grade, tokens and cost.
create view answers as
select
    c.cell_id, c.block_id, c.origin, i.suite, i.key as item, c.form, c.sample,
    e.provider, e.route, a.model, a.effort, p.name as prompt, a.max_tokens,
    c.outcome, g.parsed, i.answer as gold, g.method, g.score,
    t.finish_reason, t.prompt_tokens, t.billable_output_tokens as completion_tokens, t.reasoning_tokens,
    t.cached_tokens, k.cost_usd, t.sent_at as asked_at, t.text, t.reasoning, t.error, t.message,
    i.tier, i.topic, c.arm_id, c.item_id, c.request_id, c.attempt_id, c.text_id
from cells c
join items i using (item_id)
join arms a using (arm_id)
join endpoints e using (endpoint_id)
join prompts p using (prompt_id)
left join attempts t on t.attempt_id = c.attempt_id
left join grades g on g.grade_id = c.grade_id
left join sure_costs k on k.attempt_id = c.attempt_id;

-- pairs: two cells of a block that differ in form alone; English is the base. A side is cut when the
-- token limit ended its reply; a reply whose end has no known reason is not called cut.
create view pairs as
select
    f.block_id, f.arm_id, f.item_id, f.sample, f.origin, f.form,
    b.cell_id as base_cell_id, f.cell_id as form_cell_id,
    b.outcome as base_outcome, f.outcome as form_outcome,
    tb.billable_output_tokens as base_tokens, tf.billable_output_tokens as form_tokens,
    coalesce(tb.finish_reason in ('length', 'max_tokens'), false) as base_cut,
    coalesce(tf.finish_reason in ('length', 'max_tokens'), false) as form_cut,
    abs(epoch(tf.sent_at) - epoch(tb.sent_at)) as gap_s,
    b.attempt_id as base_attempt_id, f.attempt_id as form_attempt_id
from cells f
join cells b on b.block_id = f.block_id and b.form = 'en'
left join attempts tb on tb.attempt_id = b.attempt_id
left join attempts tf on tf.attempt_id = f.attempt_id
where f.form <> 'en';
