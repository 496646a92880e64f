-- intake_to_grade: the cells whose request just ended, with all that a grader needs.
-- In: temp table ended(request_id, attempt_id, state). An error has no grader.
select c.cell_id, e.attempt_id, t.text, t.reasoning, t.finish_reason, i.answer,
       case when e.state = 'answered' then i.grader end as grader, i.options
from ended e
join cells c on coalesce(c.pending_request_id, c.request_id) = e.request_id
join items i using (item_id)
join attempts t on t.attempt_id = e.attempt_id;
