-- intake_settle: after attempts and grades are in, settle requests and cells.
-- In: temp table ended(request_id, attempt_id, state), one row a request whose last attempt came in;
--     temp table graded(cell_id, attempt_id, grade_id, outcome), one row a cell with a new grade or an error.
update requests set state = e.state, attempt_id = e.attempt_id
from ended e
where requests.request_id = e.request_id;

-- Cells asked for the first time, or again after an error, take what came.
update cells set attempt_id = g.attempt_id, grade_id = g.grade_id, outcome = g.outcome
from graded g
where cells.cell_id = g.cell_id and cells.pending_request_id is null;

-- Blocks asked again whole are moved up together, when every cell has its new answer
-- (or when there was no whole old one to keep).
create or replace temp table movable as
with touched as (
    select distinct block_id
    from cells
    where pending_request_id is not null and pending_request_id in (select request_id from ended)
)
select c.block_id
from cells c
join touched using (block_id)
left join requests q on q.request_id = c.pending_request_id
group by c.block_id
having bool_and(c.pending_request_id is null or q.state <> 'planned')
   and (bool_and(c.pending_request_id is null or q.state = 'answered')
        or bool_or(c.outcome is null or c.outcome = 'error'));

-- Two items with the same words share a request; each cell keeps the text of its own item.
create or replace temp table moved as
select c.cell_id, q.request_id, q.attempt_id, q.state, coalesce(own.text_id, c.text_id) as text_id
from cells c
join movable using (block_id)
join requests q on q.request_id = c.pending_request_id
left join texts x on x.text_id = q.text_id
left join texts own on own.item_id = c.item_id and own.form = c.form and own.text = x.text;

update cells set
    request_id = m.request_id, attempt_id = m.attempt_id, text_id = m.text_id, pending_request_id = null,
    grade_id = g.grade_id, outcome = case when m.state = 'error' then 'error' else g.outcome end
from moved m
left join (
    select cell_id, attempt_id, max_by(grade_id, grade_id) as grade_id, max_by(outcome, grade_id) as outcome
    from grades
    where cell_id in (select cell_id from moved)
    group by cell_id, attempt_id
) g on g.cell_id = m.cell_id and g.attempt_id = m.attempt_id
where m.cell_id = cells.cell_id;
