-- The views that people and commands read. Dollars are derived here, from counts and dated prices.

-- arm_prices: the price in force for each arm over time. One source counts for a model (lowest
-- priority number); of rows with the same start the one recorded last.
create view arm_prices as
with best as (
    select provider, model, min(priority) as priority from prices group by all
),
current_rows as (
    select p.*
    from prices p join best b using (provider, model, priority)
    qualify row_number() over (
        partition by p.provider, p.model, p.start_at order by p.recorded_at desc, p.price_id desc
    ) = 1
)
select
    a.arm_id, c.price_id, c.source, c.start_at,
    coalesce(lead(c.start_at) over (partition by a.arm_id order by c.start_at), timestamp '9999-12-31') as end_at,
    c.input_usd, coalesce(c.cached_input_usd, c.input_usd) as cached_input_usd,
    c.output_usd, coalesce(c.reasoning_usd, c.output_usd) as reasoning_usd,
    coalesce(c.request_usd, 0) as request_usd
from arms a
join endpoints e using (endpoint_id)
join current_rows c on c.provider = e.provider and c.model = a.model;

-- attempt_costs: dollars of every attempt. cost_usd is what is surely billed; cost_upper_usd adds what
-- may be. Unknown is NULL with its reason, never 0; an attempt that was surely not billed costs 0.
create view attempt_costs as
with priced as (
    select
        t.attempt_id, t.request_id, t.run_id, t.arm_id, t.origin, t.billed, t.sent_at, t.reported_cost_usd,
        t.finish_reason, p.price_id, p.source,
        t.prompt_tokens is null or t.billable_output_tokens is null as no_usage,
        least(coalesce(t.cached_tokens, 0), t.prompt_tokens) as cached,
        t.prompt_tokens, t.billable_output_tokens, t.upper_prompt_tokens, t.upper_output_tokens,
        least(coalesce(t.reasoning_tokens, 0), t.billable_output_tokens) as reasoning,
        p.input_usd, p.cached_input_usd, p.output_usd, p.reasoning_usd, p.request_usd
    from attempts t
    left join arm_prices p
        on p.arm_id = t.arm_id and t.sent_at >= p.start_at and t.sent_at < p.end_at
),
computed as (
    select
        *,
        ((prompt_tokens - cached) * input_usd + cached * cached_input_usd
            + (billable_output_tokens - reasoning) * output_usd + reasoning * reasoning_usd
            + request_usd)::decimal(18, 12) as sure_usd,
        (upper_prompt_tokens * greatest(input_usd, cached_input_usd)
            + upper_output_tokens * greatest(output_usd, reasoning_usd)
            + request_usd)::decimal(18, 12) as bound_usd
    from priced
)
select
    attempt_id, request_id, run_id, arm_id, origin, billed, sent_at, price_id,
    case billed
        when 'no' then 0::decimal(18, 12)
        when 'yes' then coalesce(reported_cost_usd, sure_usd)
    end as cost_usd,
    case billed
        when 'no' then 0::decimal(18, 12)
        when 'yes' then coalesce(reported_cost_usd, greatest(sure_usd, bound_usd), sure_usd)
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
    end as unpriced_reason,
    -- What stands beside dollars in every table, so that a million attempts are joined once, not twice.
    billable_output_tokens, finish_reason
from computed;

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
left join attempt_costs k on k.attempt_id = c.attempt_id;

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
