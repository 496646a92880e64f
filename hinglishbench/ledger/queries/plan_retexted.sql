-- plan_retexted: items of this suite that the ledger holds with other words in every form asked for.
-- In: temp table wanted. Two files of one name look like this, and so does one file that was rewritten.
select count(*)::integer as items
from (
    select i.item_id
    from wanted w
    join items i on i.suite = w.suite and i.key = w.item_key
    left join texts x on x.item_id = i.item_id and x.form = w.form and x.text = w.text
    where exists (select 1 from texts t where t.item_id = i.item_id and t.form = w.form)
    group by i.item_id
    having count(x.text_id) = 0
);
