-- regrade_settle: the new grades come into force; the old ones stay. In: temp table graded.
update cells set grade_id = g.grade_id, outcome = g.outcome
from graded g
where cells.cell_id = g.cell_id and cells.attempt_id = g.attempt_id;
