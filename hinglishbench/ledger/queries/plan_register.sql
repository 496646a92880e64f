-- plan_register: bring the items and texts of a plan into the ledger.
-- In: temp tables wanted_items(seq, suite, item_key, answer, grader, tier, topic, options, meta), wanted.
-- A changed gold (or tier, topic) replaces the old one; the item keeps its id, so nothing is bought again.
insert into items
select (select coalesce(max(item_id), 0) from items) + row_number() over (order by w.seq),
       w.suite, w.item_key, w.answer, w.grader, w.tier, w.topic, w.options, w.meta
from wanted_items w
where not exists (select 1 from items i where i.suite = w.suite and i.key = w.item_key);

update items set answer = w.answer, grader = w.grader, tier = w.tier, topic = w.topic,
                 options = w.options, meta = w.meta
from wanted_items w
where items.suite = w.suite and items.key = w.item_key
  and (items.answer, items.grader, items.tier, items.topic, items.options, items.meta)
      is distinct from (w.answer, w.grader, w.tier, w.topic, w.options, w.meta);

insert into texts
select (select coalesce(max(text_id), 0) from texts) + row_number() over (order by i.item_id, t.form),
       i.item_id, t.form, t.text
from (select distinct suite, item_key, form, text from wanted) t
join items i on i.suite = t.suite and i.key = t.item_key
where not exists (
    select 1 from texts x where x.item_id = i.item_id and x.form = t.form and x.text = t.text
);
