-- tax_pairs: the answers of one arm, paired within their block: a form against the baseline form. In: temp tables of
-- tax_answers; $baseline, a form; $max_gap_s: two calls further apart are no pair.
-- Out: temp table tax_sides, one row a suite, arm, form, item and sample, the two sides as base_ and form_;
--     fate 0 unanswered, 1 error, 2 too far apart: dropped; 3: counts. See tax_readings.
create or replace temp table tax_sides as
with base as (
    select block_id, state, tokens, cut, usd, sent_at from tax_answers where form = $baseline
)
select s.suite_no, f.arm_id, f.item_id, f.form, f.sample,
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
