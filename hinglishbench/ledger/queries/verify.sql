-- verify: what is wrong with a ledger; no rows when it is sound. One row a kind of fault: what, how many.
with faults as (
    select 'cells whose request is missing' as fault, count(*) as n
    from cells c anti join requests r on r.request_id = c.request_id
    union all
    select 'cells whose answer is missing', count(*)
    from cells c anti join attempts t on t.attempt_id = c.attempt_id where c.attempt_id is not null
    union all
    select 'cells whose grade is missing', count(*)
    from cells c anti join grades g on g.grade_id = c.grade_id and g.cell_id = c.cell_id
    where c.grade_id is not null
    union all
    select 'cells whose outcome is not their grade''s', count(*)
    from cells c join grades g on g.grade_id = c.grade_id where c.outcome is distinct from g.outcome
    union all
    select 'cells whose item, arm or text is missing', count(*)
    from cells c
    where not exists (select 1 from items i where i.item_id = c.item_id)
       or not exists (select 1 from arms a where a.arm_id = c.arm_id)
       or not exists (select 1 from texts x where x.text_id = c.text_id and x.item_id = c.item_id)
    union all
    select 'cells that stand twice', count(*) from (
        select 1 from cells group by arm_id, item_id, form, sample, origin having count(*) > 1)
    union all
    select 'blocks that mix arms, items, samples or origins', count(*) from (
        select 1 from cells group by block_id
        having count(distinct (arm_id, item_id, sample, origin)) > 1)
    union all
    select 'attempts whose request is missing', count(*)
    from attempts t anti join requests r on r.request_id = t.request_id
    union all
    select 'attempts whose run is missing', count(*)
    from attempts t anti join runs u on u.run_id = t.run_id
    union all
    select 'requests said to be answered without an answer', count(*)
    from requests r left join attempts t on t.attempt_id = r.attempt_id
    where r.state = 'answered' and (t.attempt_id is null or t.error is not null)
    union all
    select 'keys that stand twice', (select count(*) - count(distinct request_id) from requests)
        + (select count(*) - count(distinct attempt_id) from attempts)
        + (select count(*) - count(distinct cell_id) from cells)
        + (select count(*) - count(distinct grade_id) from grades)
    union all
    select 'attempts that stand twice', count(*) from (
        select 1 from attempts group by request_id, run_id, try having count(*) > 1)
    union all
    select 'arms whose endpoint or prompt is missing', count(*) from arms a
    where not exists (select 1 from endpoints e where e.endpoint_id = a.endpoint_id)
       or not exists (select 1 from prompts p where p.prompt_id = a.prompt_id)
)
select fault, n from faults where n > 0;
