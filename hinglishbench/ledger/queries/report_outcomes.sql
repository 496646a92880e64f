-- report_outcomes: how the answers of each suite, arm and form ended. In: $origin; $suite (NULL: all).
-- tokens_missing: answers whose reply did not say what it cost. Rates are over all answers but errors.
select i.suite, c.arm_id, c.form, count(*) as cells, count(distinct c.sample) as samples,
       count(distinct c.item_id) as items,
       count(*) filter (where c.outcome = 'correct') as correct,
       count(*) filter (where c.outcome = 'wrong') as wrong,
       count(*) filter (where c.outcome = 'unparsed') as unparsed,
       count(*) filter (where c.outcome = 'truncated') as truncated,
       count(*) filter (where c.outcome = 'filtered') as filtered,
       count(*) filter (where c.outcome = 'error') as error,
       count(*) filter (where c.outcome is null) as unanswered,
       count(*) filter (where c.outcome <> 'error' and t.finish_reason in ('length', 'max_tokens')) as cut,
       count(*) filter (where c.outcome <> 'error' and t.billable_output_tokens is null) as tokens_missing
from cells c
join items i using (item_id)
left join attempts t on t.attempt_id = c.attempt_id
where c.origin = $origin and ($suite is null or i.suite = $suite)
group by all
order by i.suite, c.arm_id, c.form
