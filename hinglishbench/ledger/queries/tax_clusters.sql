-- tax_clusters: what the pairs of one topic have in common, one row a suite (by number), arm and form with lists over its
-- clusters. In: view tax_pairs; $lower, $upper: margins of "no tax that matters".
-- An item without a topic is a cluster of its own.
-- Out: n, base, form: pairs and sums of scores; n_tax: pairs with a ratio; below: ratios below the median (one at
-- it counts half); signs: ratios surely above less surely below 1; signs_lower, signs_upper: the same against the
-- margins, where a pair on the wrong side, at the margin or hidden by a cut counts against.
with middles as (
    select suite_no, arm_id, form, median(observed) as middle from tax_pairs group by all
),
clusters as (
    select p.suite_no, p.arm_id, p.form, coalesce(i.topic, 'item ' || p.item_id) as cluster,
           count(p.base_score) as n, sum(p.base_score)::double as base, sum(p.form_score)::double as form_,
           count(p.observed) as n_tax,
           sum(case when p.observed < m.middle then 1 when p.observed = m.middle then 0.5 else 0 end)::double as below,
           (count(*) filter (where p.low > 1) - count(*) filter (where p.high < 1))::double as signs,
           (2 * count(*) filter (where p.low > $lower) - count(p.observed))::double as signs_lower,
           (2 * count(*) filter (where p.high < $upper) - count(p.observed))::double as signs_upper
    from tax_pairs p
    join items i on i.item_id = p.item_id
    join middles m on m.suite_no = p.suite_no and m.arm_id = p.arm_id and m.form = p.form
    where p.dropped is null
    group by all
)
select suite_no, arm_id, form, list(n order by cluster) as n, list(base order by cluster) as base,
       list(form_ order by cluster) as form_sums, list(n_tax order by cluster) as n_tax,
       list(below order by cluster) as below, list(signs order by cluster) as signs,
       list(signs_lower order by cluster) as signs_lower, list(signs_upper order by cluster) as signs_upper
from clusters
group by suite_no, arm_id, form;
