-- tax_arms: every arm and every suite in words. In: temp table tax_suites.
-- Out: one row a suite and arm, numbered in the order of printing.
select u.suite_no, u.suite, a.arm_id, e.provider, e.route, e.address, a.model, a.effort, p.name as prompt, a.temperature,
       a.max_tokens, a.digest as arm,
       row_number() over (
           order by u.suite, e.provider, a.model, a.effort nulls first, p.name, a.arm_id
       ) as place
from arms a
join endpoints e using (endpoint_id)
join prompts p using (prompt_id)
cross join tax_suites u;
