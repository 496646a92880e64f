-- report_cells: everything the item explorer shows, one row a cell, the cells of a block together.
-- In: $origin; $suite (NULL: all).
-- Out: what was asked, what came back, its grade, tokens, dollars, and every attempt of its request in order.
with tries as (
    select t.request_id,
           list({
               'try': t.try, 'sent_at': t.sent_at, 'seconds': epoch(t.ended_at) - epoch(t.sent_at),
               'status': t.status, 'error': t.error, 'message': t.message, 'billed': t.billed,
               'completion_tokens': t.billable_output_tokens, 'cost_usd': k.cost_usd, 'cost_upper_usd': k.cost_upper_usd
           } order by t.sent_at, t.attempt_id) as attempts
    from attempts t
    join attempt_costs k using (attempt_id)
    where t.origin = $origin
    group by t.request_id
)
select i.suite, i.key as item, i.topic, i.tier, i.answer as gold, i.grader, c.arm_id, c.sample, c.block_id, c.form,
       x.text as question, c.outcome, g.parsed, g.method, g.grader_version, t.text as output, t.reasoning,
       t.finish_reason, coalesce(t.finish_reason in ('length', 'max_tokens'), false) as cut,
       t.prompt_tokens, t.billable_output_tokens as completion_tokens, t.reasoning_tokens, t.cached_tokens,
       k.cost_usd, k.price_source, k.unpriced_reason, t.sent_at as asked_at,
       epoch(t.ended_at) - epoch(t.sent_at) as seconds, t.error, t.message, t.model as model_observed,
       y.attempts
from cells c
join items i using (item_id)
join texts x on x.text_id = c.text_id
left join attempts t on t.attempt_id = c.attempt_id
left join grades g on g.grade_id = c.grade_id
left join attempt_costs k on k.attempt_id = c.attempt_id
left join tries y on y.request_id = c.request_id
where c.origin = $origin and ($suite is null or i.suite = $suite)
order by i.suite, i.key, c.arm_id, c.sample, c.block_id, c.form
