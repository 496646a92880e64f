-- tax_answers: every cell of one origin with what answered it. In: $origin; $suite (NULL: all).
-- Out: temp table tax_answers(block_id, arm_id, item_id, text_id, sample, form, state, tokens, cut, usd, sent_at),
--     state 0 not answered, 1 error, 2 filtered, 3 any other wrong outcome, 4 correct; and
--     temp table tax_suites(suite, suite_no).
-- Strings become codes below the join, and only what is needed is written down: on a million cells writing costs
-- more than joining.
create or replace temp table tax_suites as
select suite, row_number() over (order by suite)::usmallint as suite_no
from items
where $suite is null or suite = $suite
group by suite;

create or replace temp table tax_answers as
with asked as (
    select block_id, arm_id, item_id, text_id, sample, form, attempt_id,
           case outcome when 'correct' then 4 when 'filtered' then 2 when 'error' then 1
               else if(outcome is null, 0, 3) end::utinyint as state
    from cells
    where origin = $origin
),
replies as (
    select attempt_id, billable_output_tokens as tokens,
           coalesce(finish_reason in ('length', 'max_tokens'), false) as cut, cost_usd as usd, sent_at
    from sure_costs
)
select a.* exclude (attempt_id), r.* exclude (attempt_id)
from asked a
left join replies r on r.attempt_id = a.attempt_id;
