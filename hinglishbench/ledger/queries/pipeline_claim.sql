-- pipeline_claim: claim requests that serve no cell, by what they are: endpoint, body as sent, sample.
-- In: temp table bodies(seq, arm_id, sample, digest, body), temp table alive(run_id): runs that live;
--     $run_id, $purpose, $suite, $origin, $fresh.
-- Out: temp table decided(seq, digest, action, request_id, again):
--     reuse    answered: request_id holds the answer
--     claimed  a living run is asking it
--     ask      ask it: again the request of an earlier try that died or ended in an error, or a new one
--     again    whether an answer that is there is bought a second time
create or replace temp table decided as
with same as (
    select r.digest,
           max(r.request_id) filter (where r.state = 'answered') as answered_id,
           max(r.request_id) filter (where r.state = 'planned' and a.run_id is not null) as claimed_id,
           -- a request that a cell waits for belongs to its block, which is asked together or not at all
           max(r.request_id) filter (
               where r.text_id is null and (r.state = 'error' or r.state = 'planned' and a.run_id is null)
           ) as open_id
    from requests r
    join (select distinct digest from bodies) using (digest)
    left join alive a on a.run_id = r.run_id
    where r.origin = $origin
    group by r.digest
)
select b.seq, b.digest,
    case
        when s.claimed_id is not null then 'claimed'
        when s.answered_id is not null and not $fresh then 'reuse'
        else 'ask'
    end as action,
    case
        when s.claimed_id is not null then s.claimed_id
        when $fresh then null
        else coalesce(s.answered_id, s.open_id)
    end as request_id,
    s.answered_id is not null and s.claimed_id is null and $fresh as again
from bodies b
left join same s using (digest);

-- The same body twice in one plan is one request.
create or replace temp table fresh_requests as
select (select coalesce(max(request_id), 0) from requests) + row_number() over (order by min(d.seq)) as request_id,
       d.digest, arg_min(b.arm_id, b.seq) as arm_id, arg_min(b.sample, b.seq) as sample, arg_min(b.body, b.seq) as body
from decided d
join bodies b using (seq)
where d.action = 'ask' and d.request_id is null
group by d.digest;

insert into requests
select request_id, digest, arm_id, $run_id, sample, $purpose, $suite, $origin, 'planned', null, null, body
from fresh_requests;

update requests set run_id = $run_id, state = 'planned'
where request_id in (select request_id from decided where action = 'ask' and request_id is not null);

update decided set request_id = f.request_id
from fresh_requests f
where decided.action = 'ask' and decided.request_id is null and f.digest = decided.digest;
