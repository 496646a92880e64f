-- regrade: answered cells whose grade is not of the present grader and gold, with all that a grader needs.
-- In: $graders and their $versions, two lists; $force: every answered cell.
select c.cell_id, c.attempt_id, t.text, t.reasoning, t.finish_reason, i.answer, i.grader, i.options,
       g.grader_version as old_version, g.outcome as old_outcome, g.parsed as old_parsed, g.method as old_method,
       i.suite, i.key as item, c.form, c.sample, a.model
from cells c
join items i on i.item_id = c.item_id
join arms a on a.arm_id = c.arm_id
join attempts t on t.attempt_id = c.attempt_id and t.error is null
left join grades g on g.grade_id = c.grade_id
where $force or g.grade_id is null or g.gold <> i.answer
   or g.grader_version <> map($graders, $versions)[i.grader]
order by c.cell_id;
