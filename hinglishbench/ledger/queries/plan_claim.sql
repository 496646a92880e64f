-- plan_claim: write down what plan_decide decided: requests are made or claimed, cells point to them.
-- In: temp tables decided, alive; $run_id, $purpose, $suite, $origin.
-- Out: temp table asked(request_id, arm_id, text_id, item_id, form, sample, seq), one row a request to ask.
create or replace temp table fresh_requests as
select (select coalesce(max(request_id), 0) from requests) + row_number() over (order by min(seq)) as request_id,
       digest, action = 'replace' as replaces, arg_min(arm_id, seq) as arm_id, arg_min(sample, seq) as sample,
       arg_min(text_id, seq) as text_id
from decided
where action in ('ask', 'replace', 'resume') and request_id is null
group by digest, replaces;

insert into requests
select request_id, digest, arm_id, $run_id, sample, $purpose, $suite, $origin, 'planned', null, text_id, null
from fresh_requests;

update requests set run_id = $run_id, state = 'planned'
where request_id in (
    select request_id from decided where action in ('ask', 'resume') and request_id is not null
);

-- stays: the cell has an answer that goes only when the new one stands (a block asked again, a changed text).
create or replace temp table placed_cells as
select d.* exclude (request_id), coalesce(d.request_id, f.request_id) as request_id,
       d.action in ('replace', 'resume', 'kept')
           or (d.action = 'ask' and c.outcome is not null and c.outcome <> 'error') as stays
from decided d
left join fresh_requests f on d.request_id is null and f.digest = d.digest and f.replaces = (d.action = 'replace')
left join cells c on c.cell_id = d.cell_id;

-- What another run is asking is pointed to only where nothing stands yet; what it replaces stays pending.
update cells set
    text_id = case when p.stays then cells.text_id else p.text_id end,
    request_id = case when p.stays then cells.request_id else p.request_id end,
    pending_request_id = case
        when p.stays then p.request_id
        when p.action in ('claimed', 'reuse') then cells.pending_request_id
    end
from placed_cells p
where p.cell_id = cells.cell_id
  and (p.action <> 'claimed' or (cells.outcome is null and p.request_id is not null));

-- A form that this plan leaves out may still wait for what a dead run meant to ask: it would hold its block back.
update cells set pending_request_id = null
where pending_request_id is not null
  and block_id in (select block_id from placed_cells where action = 'replace')
  and cell_id not in (select cell_id from placed_cells where cell_id is not null)
  and pending_request_id not in (
      select r.request_id from requests r join alive a on a.run_id = r.run_id where r.state = 'planned'
  );

-- A cell that another run's block keeps waiting, and that nobody asks yet, gets no row.
insert into cells
with numbered as (
    select *, min(block_id) over (partition by block) as old_block
    from placed_cells
    where true
),
blocks as (
    select block, coalesce(old_block, (select coalesce(max(block_id), 0) from cells)
           + dense_rank() over (order by old_block is not null, block)) as block_id
    from (select distinct block, old_block from numbered)
)
select (select coalesce(max(cell_id), 0) from cells) + row_number() over (order by n.seq),
       b.block_id, n.arm_id, n.item_id, n.form, n.sample, $origin, n.text_id, n.request_id,
       case when n.action = 'replace' then n.request_id end, null, null, null
from numbered n
join blocks b using (block)
where n.cell_id is null and n.request_id is not null;

create or replace temp table asked as
select request_id, min(seq) as seq
from placed_cells
where action in ('ask', 'replace', 'resume')
group by request_id
order by seq;
