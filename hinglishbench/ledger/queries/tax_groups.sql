-- tax_groups: all that has a closed form in SQL, one row a suite (by number), arm and form. In: view tax_pairs (of
-- samples or of items). Out:
--     n, dropped by reason, answers (most pairs of answers of one item), lost (dropped pairs of answers), n_far
--     both, base_only, form_only, neither: the paired table, where every score is 0 or 1
--     sums and sums of squares of scores and of their differences
--     n_tax and medians of the ratio at its three readings, quartiles, signs against 1 and the two margins
--     totals of tokens and dollars, right answers on priced pairs, cut shares, median gap between the calls
-- In: $lower, $upper: the margins of "no tax that matters" (1 when none was asked for).
select suite_no, arm_id, form,
       count(*) - count(dropped) as n,
       count(*) filter (where dropped = 'unanswered') as unanswered,
       count(*) filter (where dropped = 'error') as error,
       count(*) filter (where dropped = 'far_apart') as far_apart,
       count(*) filter (where dropped = 'unmatched') as unmatched,
       count(*) filter (where dropped = 'other_text') as other_text,
       max(answers) as answers, sum(lost)::bigint as lost, sum(far)::bigint as n_far,
       count(*) filter (where base_score = 1 and form_score = 1) as both,
       count(*) filter (where base_score = 1 and form_score = 0) as base_only,
       count(*) filter (where base_score = 0 and form_score = 1) as form_only,
       count(*) filter (where base_score = 0 and form_score = 0) as neither,
       sum(base_score)::double as base_sum, sum(base_score * base_score)::double as base_squares,
       sum(form_score)::double as form_sum, sum(form_score * form_score)::double as form_squares,
       avg(form_score::double - base_score) as gap, var_samp(form_score::double - base_score) as gap_variance,
       count(observed) as n_tax,
       quantile_cont(observed, [0.25, 0.5, 0.75]) as quartiles,
       median(low) as low, median(high) as high,
       count(*) filter (where low > 1) as above, count(*) filter (where high < 1) as below,
       count(*) filter (where low = 1 and high = 1) as ties,
       count(*) filter (where low > $lower) as above_lower, count(*) filter (where high < $upper) as below_upper,
       sum(base_tokens)::bigint as base_tokens, sum(form_tokens)::bigint as form_tokens,
       sum(base_usd) as base_usd, sum(form_usd) as form_usd, count(base_usd) as priced,
       sum(base_score * answers) filter (where base_usd is not null)::double as base_right_priced,
       sum(form_score * answers) filter (where base_usd is not null)::double as form_right_priced,
       sum(base_cut * answers)::double / sum(answers) as base_cut_rate,
       sum(form_cut * answers)::double / sum(answers) as form_cut_rate,
       median(gap_s) as gap_s
from tax_pairs
group by suite_no, arm_id, form
