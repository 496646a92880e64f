-- tax_pairs: the answers of one origin, paired within their block. In: $origin; $suite (NULL: all); $baseline, a
-- form; $max_gap_s: two calls further apart are no pair.
-- Out: temp table tax_pairs, one row a suite, arm, form, item and sample:
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
create or replace temp table tax_answers as
select c.block_id, c.arm_id, c.item_id, c.form, c.sample, c.outcome,
       t.billable_output_tokens as tokens,
       coalesce(t.finish_reason in ('length', 'max_tokens'), false) as cut,
       k.cost_usd as usd, epoch(t.sent_at) as sent_s
from cells c
left join attempts t on t.attempt_id = c.attempt_id
left join attempt_costs k on k.attempt_id = c.attempt_id
where c.origin = $origin;

create or replace temp table tax_pairs as
with base as (
    select block_id, outcome, tokens, cut, usd, sent_s from tax_answers where form = $baseline
),
sides as (
    select f.arm_id, f.item_id, f.form, f.sample,
           case
               when b.outcome is null or f.outcome is null then 'unanswered'
               when b.outcome = 'error' or f.outcome = 'error' then 'error'
               when abs(f.sent_s - b.sent_s) > $max_gap_s then 'far_apart'
           end as dropped,
           b.outcome <> 'filtered' and f.outcome <> 'filtered' and b.tokens > 0 and f.tokens >= 0 as counted,
           b.outcome = 'correct' as base_right, f.outcome = 'correct' as form_right,
           b.tokens as base_tokens, f.tokens as form_tokens, b.cut as base_cut, f.cut as form_cut,
           b.usd as base_usd, f.usd as form_usd, abs(f.sent_s - b.sent_s) as gap_s
    from tax_answers f
    left join base b on b.block_id = f.block_id
    where f.form <> $baseline
)
select i.suite, s.arm_id, s.form, s.item_id, s.sample, i.topic, s.dropped,
       case when dropped is null then base_right::utinyint end as base_score,
       case when dropped is null then form_right::utinyint end as form_score,
       case when dropped is null and counted then base_tokens end as base_tokens,
       case when dropped is null and counted then form_tokens end as form_tokens,
       case when dropped is null and counted then form_tokens / base_tokens end as observed,
       case when dropped is null and counted then if(base_cut, 0, form_tokens / base_tokens) end as low,
       case when dropped is null and counted
            then if(form_cut, 'infinity'::double, form_tokens / base_tokens) end as high,
       case when dropped is null then base_cut::utinyint end as base_cut,
       case when dropped is null then form_cut::utinyint end as form_cut,
       case when dropped is null and form_usd is not null then base_usd end as base_usd,
       case when dropped is null and base_usd is not null then form_usd end as form_usd,
       case when dropped is null then gap_s end as gap_s,
       (dropped is null)::utinyint as answers, (dropped is not null)::utinyint as lost,
       coalesce(dropped = 'far_apart', false)::utinyint as far
from sides s
join items i on i.item_id = s.item_id
where $suite is null or i.suite = $suite;
