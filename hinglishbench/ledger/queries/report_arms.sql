-- report_arms: what was under test, one row an arm that has cells. In: $origin; $suite (NULL: all).
select a.arm_id, a.digest, e.provider, e.route, e.address, a.model, a.effort, a.temperature, a.max_tokens, a.params,
       p.name as prompt, p.digest as prompt_digest, p.content as prompt_content,
       list(distinct i.suite order by i.suite) as suites, count(*) as cells,
       count(c.outcome) as answered,
       min(t.sent_at) as first_at, max(t.sent_at) as last_at,
       list(distinct t.model order by t.model) filter (where t.model is not null) as models_observed,
       list(distinct t.output_rule order by t.output_rule) filter (where t.output_rule is not null) as output_rules,
       list(distinct g.grader_version order by g.grader_version) filter (where g.grader_version is not null)
           as grader_versions,
       list(distinct c.form order by c.form) as forms
from cells c
join arms a using (arm_id)
join endpoints e using (endpoint_id)
join prompts p using (prompt_id)
join items i using (item_id)
left join attempts t on t.attempt_id = c.attempt_id
left join grades g on g.grade_id = c.grade_id
where c.origin = $origin and ($suite is null or i.suite = $suite)
group by all
order by e.provider, a.model, a.effort nulls first, p.name, a.arm_id
