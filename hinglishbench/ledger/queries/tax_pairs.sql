-- tax_pairs: the answers of one origin, paired within their block. In: $origin; $suite (NULL: all); $baseline, a
-- form; $max_gap_s: two calls further apart are no pair.
-- Out: temp view tax_pairs, one row a suite, arm, form, item and sample:
--     suite_no     suites by number, see temp table tax_suites
--     dropped      unanswered | error | far_apart; NULL: the pair counts. Of a dropped pair all below is NULL.
--     base_score, form_score   1 for a correct answer, 0 for any other
--     base_tokens, form_tokens billable completion tokens; NULL when a side is filtered or has no count
--     observed, low, high      form / baseline as billed, and between what bounds the true ratio lies: a cut
--                              form may have gone on for ever, so may a cut baseline (docs/adr/0007)
--     base_cut, form_cut       1 where the token limit ended the reply
--     base_usd, form_usd       dollars of the two answering attempts (what retries cost is in `hbench cost`);
--                              NULL when either is not priced
--     gap_s        seconds between the two calls
--     answers, lost, far   1 where the pair counts, is dropped, is dropped as too far apart
-- What is written down is kept narrow (writing costs more than joining, on a million cells); the view spells it out.
create or replace temp table tax_suites as
select suite, row_number() over (order by suite)::usmallint as suite_no
from items
where $suite is null or suite = $suite
group by suite;

create or replace temp table tax_answers as
with asked as (
    select block_id, arm_id, item_id, sample, form, attempt_id,
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

create or replace temp table tax_sides as
with base as (
    select block_id, state, tokens, cut, usd, sent_at from tax_answers where form = $baseline
)
select s.suite_no, f.arm_id, f.item_id, f.form, f.sample,
       -- 3: counts; 0 unanswered, 1 error, 2 too far apart: dropped
       case
           when b.state is null or b.state = 0 or f.state = 0 then 0
           when b.state = 1 or f.state = 1 then 1
           when abs(epoch_us(f.sent_at) - epoch_us(b.sent_at)) > $max_gap_s * 1000000 then 2
           else 3
       end::utinyint as fate,
       b.state as base_state, f.state as form_state,
       if(b.state = 2 or f.state = 2 or b.tokens <= 0, null, b.tokens) as base_tokens,
       if(b.state = 2 or f.state = 2 or b.tokens <= 0, null, f.tokens) as form_tokens,
       b.cut as base_cut, f.cut as form_cut, b.usd as base_usd, f.usd as form_usd,
       epoch_us(f.sent_at) - epoch_us(b.sent_at) as gap_us
from tax_answers f
left join base b on b.block_id = f.block_id
join items i on i.item_id = f.item_id
join tax_suites s on s.suite = i.suite
where f.form <> $baseline;

create or replace temp view tax_pairs as
with counted as (
    select * replace (
               if(fate = 3, base_tokens, null) as base_tokens,
               if(fate = 3 and base_tokens is not null, form_tokens, null) as form_tokens
           )
    from tax_sides
)
select suite_no, arm_id, form, item_id, sample,
       case fate when 0 then 'unanswered' when 1 then 'error' when 2 then 'far_apart' end as dropped,
       if(fate = 3, (base_state = 4)::utinyint, null) as base_score,
       if(fate = 3, (form_state = 4)::utinyint, null) as form_score,
       if(form_tokens is null, null, base_tokens) as base_tokens, form_tokens,
       form_tokens / base_tokens as observed,
       if(base_cut, 0, 1) * form_tokens / base_tokens as low,
       if(form_cut and form_tokens is not null and base_tokens is not null, 'infinity'::double,
          form_tokens / base_tokens) as high,
       if(fate = 3, base_cut::utinyint, null) as base_cut,
       if(fate = 3, form_cut::utinyint, null) as form_cut,
       if(fate = 3 and form_usd is not null, base_usd, null) as base_usd,
       if(fate = 3 and base_usd is not null, form_usd, null) as form_usd,
       if(fate = 3, abs(gap_us) / 1e6, null) as gap_s,
       (fate = 3)::utinyint as answers, (fate <> 3)::utinyint as lost, (fate = 2)::utinyint as far
from counted;
