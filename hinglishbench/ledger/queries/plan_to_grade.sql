-- plan_to_grade: reused cells that have no grade yet (another suite asked the same), or whose gold or
-- grader changed since. In: temp table placed_cells; $origin; $graders and their $versions, two lists.
select c.cell_id, r.attempt_id, t.text, t.reasoning, t.finish_reason, i.answer, i.grader, i.options
from placed_cells p
join cells c on c.arm_id = p.arm_id and c.item_id = p.item_id and c.form = p.form
    and c.sample = p.sample and c.origin = $origin
join items i on i.item_id = c.item_id
join requests r on r.request_id = c.request_id and r.state = 'answered'
join attempts t on t.attempt_id = r.attempt_id
left join grades g on g.grade_id = c.grade_id
where p.action = 'reuse'
  and (g.grade_id is null or g.attempt_id <> r.attempt_id or g.gold <> i.answer
       or g.grader_version <> map($graders, $versions)[i.grader]);
