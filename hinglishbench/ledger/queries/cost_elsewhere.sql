elsewhere as (
    -- cost_elsewhere: what the tokens of each attempt would cost at another price; part of cost.sql.
    -- In: lists of equal length, one entry a price row: $above (-1: from 0 on), $upto (prompt tokens),
    -- $day_from, $day_to (seconds of the day), $input, $cached, $output, $reasoning, $request,
    -- $max_input, $max_output (US$ per token). A stated cost is not looked at.
    with offered as (
        select unnest($above::bigint[]) as above, unnest($upto::bigint[]) as upto,
               unnest($day_from::bigint[]) as day_from, unnest($day_to::bigint[]) as day_to,
               unnest($input::decimal(18, 12)[]) as input_usd, unnest($cached::decimal(18, 12)[]) as cached_usd,
               unnest($output::decimal(18, 12)[]) as output_usd,
               unnest($reasoning::decimal(18, 12)[]) as reasoning_usd,
               unnest($request::decimal(18, 12)[]) as request_usd,
               unnest($max_input::decimal(18, 12)[]) as max_input_usd,
               unnest($max_output::decimal(18, 12)[]) as max_output_usd
    ),
    counted as (
        select attempt_id, billed, prompt_tokens, billable_output_tokens,
               least(coalesce(cached_tokens, 0), prompt_tokens) as cached,
               least(coalesce(reasoning_tokens, 0), billable_output_tokens) as reasoning,
               greatest(upper_prompt_tokens, prompt_tokens) as upper_prompt,
               greatest(upper_output_tokens, billable_output_tokens) as upper_output,
               (epoch_us(sent_at) // 1000000) % 86400 as second_of_day
        from attempts
    ),
    priced as (
        select t.attempt_id, t.billed,
               ((t.prompt_tokens - t.cached) * p.input_usd + t.cached * p.cached_usd
                   + (t.billable_output_tokens - t.reasoning) * p.output_usd
                   + t.reasoning * p.reasoning_usd + p.request_usd)::decimal(18, 12) as sure_usd,
               ((t.upper_output - t.billable_output_tokens) * p.max_output_usd)::decimal(18, 12) as doubt_usd,
               (t.upper_prompt * b.max_input_usd + t.upper_output * b.max_output_usd
                   + b.request_usd)::decimal(18, 12) as bound_usd
        from counted t
        left join offered p
            on t.second_of_day >= p.day_from and t.second_of_day < p.day_to
            and coalesce(t.prompt_tokens, 0) > p.above and coalesce(t.prompt_tokens, 0) <= p.upto
        left join offered b
            on t.second_of_day >= b.day_from and t.second_of_day < b.day_to
            and coalesce(t.upper_prompt, 0) > b.above and coalesce(t.upper_prompt, 0) <= b.upto
    )
    select attempt_id,
           case billed when 'no' then 0::decimal(18, 12) when 'yes' then sure_usd end as cost_usd,
           case billed
               when 'no' then 0::decimal(18, 12)
               when 'yes' then coalesce(sure_usd + coalesce(doubt_usd, 0), bound_usd)
               else bound_usd
           end as cost_upper_usd,
           case
               when billed = 'maybe' and bound_usd is null then 'no bound'
               when billed = 'yes' and sure_usd is null then 'no usage'
           end as unpriced_reason
    from priced
),
