-- compare_taxes: keep each item's own tax in each arm, before arms are set against each other. In: view tax_pairs.
-- Out: temp table compare_taxes(suite_no, arm_id, form, item_id, observed, cut).
create or replace temp table compare_taxes as
select suite_no, arm_id, form, item_id, observed, low <> high as cut
from tax_pairs
where observed is not null;
