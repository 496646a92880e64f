-- tax_readings: what a table of pairs is made of. In: temp table tax_sides (of tax_pairs or compare_pairs).
-- Out: temp view tax_pairs, one row a suite, arm, form, item and sample:
--     suite_no     suites by number, see temp table tax_suites; arm_id: in comparisons the number of the two arms
--     dropped      unanswered | error | far_apart | unmatched | other_text; NULL: the pair counts. Of a dropped pair
--                  all below is NULL.
--     base_score, form_score   1 for a correct answer, 0 for any other
--     base_tokens, form_tokens billable completion tokens; NULL when a side is filtered or has no count
--     observed, low, high      form / baseline as billed, and between what bounds the true ratio lies: a cut
--                              form may have gone on for ever, so may a cut baseline (docs/adr/0009)
--     base_cut, form_cut       1 where the token limit ended the reply
--     base_usd, form_usd       dollars of the two answering attempts (what retries cost is in `hbench cost`);
--                              NULL when either is not priced
--     gap_s        seconds between the two calls
--     answers, lost, far   1 where the pair counts, is dropped, is dropped as too far apart
create or replace temp view tax_pairs as
with counted as (
    select * replace (
               if(fate = 3, base_tokens, null) as base_tokens,
               if(fate = 3 and base_tokens is not null, form_tokens, null) as form_tokens
           )
    from tax_sides
)
select suite_no, arm_id, form, item_id, sample,
       case fate when 0 then 'unanswered' when 1 then 'error' when 2 then 'far_apart'
           when 4 then 'unmatched' when 5 then 'other_text' end as dropped,
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
