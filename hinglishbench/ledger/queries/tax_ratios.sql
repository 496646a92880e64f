-- tax_ratios: the ratios themselves, of groups small enough for Hodges-Lehmann. In: view tax_pairs; $most pairs.
select suite_no, arm_id, form, list(observed) as observed, list(low) as low, list(high) as high
from tax_pairs
where observed is not null
group by suite_no, arm_id, form
having count(*) <= $most;
