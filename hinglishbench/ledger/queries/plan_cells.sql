-- plan_cells: the cell of each place in a plan that was just claimed. In: temp table placed_cells; $origin.
select p.seq, c.cell_id
from placed_cells p
join cells c on c.arm_id = p.arm_id and c.item_id = p.item_id and c.form = p.form
    and c.sample = p.sample and c.origin = $origin;
