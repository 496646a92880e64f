-- compare_arms: every arm that has cells of this origin, with what tells it from others. In: $origin, $suite (NULL: all).
select a.arm_id, e.provider, e.route, e.address, a.model, a.effort, p.name as prompt, a.temperature, a.max_tokens,
       a.digest as arm, a.endpoint_id, a.prompt_id
from arms a
join endpoints e using (endpoint_id)
join prompts p using (prompt_id)
where a.arm_id in (
    select c.arm_id from cells c join items i using (item_id)
    where c.origin = $origin and ($suite is null or i.suite = $suite)
)
order by e.provider, a.model, a.effort nulls first, p.name, a.arm_id;
