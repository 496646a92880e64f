-- tax_items: reduce several samples to one row an item and form, then they are pairs of items.
-- In: view tax_pairs, of samples. Out: the same under the same name, of items:
--     base_score, form_score   share of correct answers among the item's pairs that count
--     observed, low, high      ratio of the median token counts; a cut reply counts as endless in the outer ones
--     base_tokens, form_tokens sums, as billed; base_cut, form_cut: shares; base_usd, form_usd: sums, NULL when
--                              one answer is not priced; gap_s: median
--     answers, lost, far       pairs of answers that count, are dropped, are dropped as too far apart
--     dropped                  only when none is left: the reason of most weight
create or replace temp table tax_reduced as
with samples as (
    select *,
           base_tokens + if(base_cut = 1, 'infinity'::double, 0) as base_upto,
           form_tokens + if(form_cut = 1, 'infinity'::double, 0) as form_upto
    from tax_pairs
)
select suite_no, arm_id, form, item_id,
       case
           when count(*) > count(dropped) then null
           when bool_or(dropped = 'error') then 'error'
           when bool_or(dropped = 'far_apart') then 'far_apart'
           else 'unanswered'
       end as dropped,
       avg(base_score) as base_score, avg(form_score) as form_score,
       sum(base_tokens) as base_tokens, sum(form_tokens) as form_tokens,
       median(form_tokens) / median(base_tokens) as observed,
       median(form_tokens) / median(base_upto) as low,
       median(form_upto) / median(base_tokens) as high,
       avg(base_cut) as base_cut, avg(form_cut) as form_cut,
       if(bool_and(dropped is not null or base_usd is not null), sum(base_usd), null) as base_usd,
       if(bool_and(dropped is not null or form_usd is not null), sum(form_usd), null) as form_usd,
       median(gap_s) as gap_s,
       sum(answers) as answers, sum(lost) as lost, sum(far) as far
from samples
group by suite_no, arm_id, form, item_id;

create or replace temp view tax_pairs as select * from tax_reduced;
