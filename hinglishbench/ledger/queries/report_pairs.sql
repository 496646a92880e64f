-- report_pairs: how many pairs have the same two token counts, for the scatter. In: $origin; $suite (NULL: all).
-- Pairs with a filtered side, an error or an unknown count have no place in it. cut: a side was ended by the limit.
select i.suite, p.arm_id, p.form, p.base_tokens, p.form_tokens, p.base_cut or p.form_cut as cut, count(*) as pairs
from pairs p
join items i using (item_id)
where p.origin = $origin and ($suite is null or i.suite = $suite)
  and p.base_outcome not in ('error', 'filtered') and p.form_outcome not in ('error', 'filtered')
  and p.base_tokens > 0 and p.form_tokens > 0
group by all
order by all
