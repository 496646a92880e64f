-- compare_changes: the tax of the same item in both arms of a comparison. In: temp table compare_taxes; $numbers,
-- $baselines, $variants as in compare_pairs.
-- Out: one row a suite, comparison and form, with lists over its items in the order of their keys (so that a seed
--     gives the same resamples on every machine); cut: items where a reply of either arm was cut.
with wanted as (
    select unnest($numbers) as number, unnest($baselines) as baseline, unnest($variants) as variant
)
select b.suite_no, w.number as arm_id, b.form,
       list(b.observed order by i.key) as baseline, list(v.observed order by i.key) as variant,
       list(coalesce(i.topic, 'item ' || i.item_id) order by i.key) as topic,
       count(*) filter (where b.cut or v.cut) as cut
from wanted w
join compare_taxes b on b.arm_id = w.baseline
join compare_taxes v
    on v.arm_id = w.variant and v.suite_no = b.suite_no and v.form = b.form and v.item_id = b.item_id
join items i on i.item_id = b.item_id
group by all;
