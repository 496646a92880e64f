-- tax_ranks: the ends of the interval of each median, by rank: the k-th smallest of the low readings and the k-th
-- largest of the high ones. In: view tax_pairs; $lower, $upper: the distinct places (rank - 1/2)/n, 0..1
-- (quantile_disc finds the value of exactly that rank); $suites, $arms, $forms, $lower_at, $upper_at: which group
-- wants which place.
with picked as (
    select suite_no, arm_id, form,
           quantile_disc(low, $lower) as lows,
           quantile_disc(high, $upper) as highs
    from tax_pairs
    where observed is not null
    group by suite_no, arm_id, form
),
wanted as (
    select unnest($suites) as suite_no, unnest($arms) as arm_id, unnest($forms) as form,
           unnest($lower_at) as lower_at, unnest($upper_at) as upper_at
)
select suite_no, arm_id, form, lows[lower_at] as lower, highs[upper_at] as upper
from wanted
join picked using (suite_no, arm_id, form);
