-- plan_stage: shape what the program handed over. In: temp tables staged, wanted_items; $suite.
create or replace temp table wanted as
select seq, arm_id, $suite as suite, item_key, form, text, sample,
       (lower(hex(digest)))::uuid as digest
from staged;
