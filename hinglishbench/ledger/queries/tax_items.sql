-- tax_items: reduce several samples to one row an item and form, then they are pairs of items (rule 10).
-- In: temp table tax_pairs, of samples. Out: the same table, of items:
--     base_score, form_score   share of correct answers among the item's pairs that count
--     observed, low, high      ratio of the median token counts; a cut reply counts as endless in the outer ones
--     base_tokens, form_tokens sums, as billed; base_cut, form_cut: shares; base_usd, form_usd: sums, NULL when
--                              one answer is not priced; gap_s: median
--     answers, lost            pairs of answers that count, and that were dropped
--     dropped                  only when none is left: the reason of most weight
create or replace temp table tax_pairs as
select suite, arm_id, form, item_id, any_value(topic) as topic,
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
       case when bool_and(dropped is not null or base_usd is not null) then sum(base_usd) end as base_usd,
       case when bool_and(dropped is not null or form_usd is not null) then sum(form_usd) end as form_usd,
       median(gap_s) as gap_s,
       count(*) - count(dropped) as answers, count(dropped) as lost,
       count(*) filter (where dropped = 'far_apart') as far
from (
    select *,
           case when base_cut = 1 and base_tokens is not null then 'infinity'::double else base_tokens end as base_upto,
           case when form_cut = 1 and form_tokens is not null then 'infinity'::double else form_tokens end as form_upto
    from tax_pairs
)
group by suite, arm_id, form, item_id;
