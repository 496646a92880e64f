-- The sure part of an attempt's cost in a view of its own: tables of pairs need it for a million answers,
-- and looking up what a call may have cost at most would double their time.

-- sure_costs: each attempt with its counts and what it surely cost (by its own prompt's price).
create or replace view sure_costs as
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

-- attempt_costs: as before, on top of sure_costs: cost_upper_usd adds what may be billed.
create or replace view attempt_costs as
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
