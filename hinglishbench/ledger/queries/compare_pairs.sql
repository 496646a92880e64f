-- compare_pairs: the answers of two arms to the same item, form and sample. In: temp tables of tax_answers; three lists
-- of one length: $numbers of the comparisons, $baselines and $variants, their arms.
-- Out: temp table tax_sides as tax_pairs leaves it, arm_id being the comparison's number, the baseline arm as base_ and
--     the variant as form_; fate 0 unanswered, 1 error, 4 in one arm only, 5 asked with another text: dropped;
--     3: counts. See tax_readings.
create or replace temp table tax_sides as
with wanted as (
    select unnest($numbers) as number, unnest($baselines) as baseline, unnest($variants) as variant
),
base as (
    select w.number, a.* from tax_answers a join wanted w on w.baseline = a.arm_id
),
form as (
    select w.number, a.* from tax_answers a join wanted w on w.variant = a.arm_id
),
sides as (
    select coalesce(f.number, b.number) as number, coalesce(f.item_id, b.item_id) as item_id,
           coalesce(f.form, b.form) as form, coalesce(f.sample, b.sample) as sample,
           case
               when b.state is null or f.state is null then 4
               when b.text_id <> f.text_id then 5
               when b.state = 0 or f.state = 0 then 0
               when b.state = 1 or f.state = 1 then 1
               else 3
           end::utinyint as fate,
           b.state as base_state, f.state as form_state,
           if(b.state = 2 or f.state = 2 or b.tokens <= 0, null, b.tokens) as base_tokens,
           if(b.state = 2 or f.state = 2 or b.tokens <= 0, null, f.tokens) as form_tokens,
           b.cut as base_cut, f.cut as form_cut, b.usd as base_usd, f.usd as form_usd,
           epoch_us(f.sent_at) - epoch_us(b.sent_at) as gap_us
    from form f
    full join base b on b.number = f.number and b.item_id = f.item_id and b.form = f.form and b.sample = f.sample
)
select u.suite_no, s.number as arm_id, s.* exclude (number)
from sides s
join items i on i.item_id = s.item_id
join tax_suites u on u.suite = i.suite;
