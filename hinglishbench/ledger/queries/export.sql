-- export: everything that a predictions folder holds, one row a cell (also of those not asked yet). In: $origin, $suite
-- (NULL: all). Attempts that failed before the answer are not exported; a cell that ended in an error is.
select i.suite, e.provider, e.route, e.address, a.arm_id, a.digest as arm_digest, a.model, a.effort, a.temperature,
       a.max_tokens, a.params, p.name as prompt, p.digest as prompt_digest, p.content as prompt_content,
       i.key as id, c.form, c.sample, x.text as question, i.answer as gold, i.grader, i.tier, i.topic, i.options, i.meta,
       t.text as output, t.reasoning, t.finish_reason, g.parsed, c.outcome, g.method, g.grader_version,
       t.prompt_tokens, t.completion_tokens, t.billable_output_tokens, t.output_rule, t.reasoning_tokens,
       t.cached_tokens, t.billed, t.error, t.message, t.status, t.model as model_observed, t.reply_id,
       k.cost_usd, k.price_source, t.first_token_s, epoch(t.ended_at) - epoch(t.sent_at) as seconds,
       t.sent_at as asked_at, c.origin
from cells c
join items i using (item_id)
join arms a using (arm_id)
join endpoints e using (endpoint_id)
join prompts p using (prompt_id)
join texts x on x.text_id = c.text_id
left join attempts t on t.attempt_id = c.attempt_id
left join grades g on g.grade_id = c.grade_id
left join attempt_costs k on k.attempt_id = c.attempt_id
where c.origin = $origin and ($suite is null or i.suite = $suite)
order by i.suite, a.arm_id, c.form, i.key, c.sample;
