-- plan_decide: what to do with each cell of a plan, decided by whole blocks.
-- In: temp table wanted(seq, arm_id, suite, item_key, form, sample, digest), temp table
--     alive(run_id): runs that live; $origin; $fresh; $now; $gap_s (--max-pair-gap, seconds).
-- Out: temp table decided(seq, block, item_id, text_id, cell_id, block_id, action, request_id, again):
--     reuse    answered: request_id holds the answer
--     kept     answered lately, by a run that died before it had asked its whole block again
--     resume   the rest of such a block
--     claimed  a living run is asking it
--     ask      ask it: request_id is a request of an earlier try (NULL: make one)
--     replace  ask it as part of a whole block asked again: a new request, moved up when the block is whole
--     again    whether an answer that is there is bought a second time
create or replace temp table decided as
with placed as (
    select w.*, i.item_id, x.text_id,
           dense_rank() over (order by w.arm_id, i.item_id, w.sample) as block
    from wanted w
    join items i on i.suite = w.suite and i.key = w.item_key
    join texts x on x.item_id = i.item_id and x.form = w.form and x.text = w.text
),
same as (  -- the latest usable request of the same identity, whoever's cell it serves
    select r.digest,
           max(r.request_id) filter (where r.state = 'answered') as answered_id,
           max(r.request_id) filter (where r.state = 'planned' and a.run_id is not null) as claimed_id,
           max(r.request_id) filter (where r.state <> 'answered' and (r.state = 'error' or a.run_id is null)) as open_id
    from requests r
    join (select distinct digest from wanted) using (digest)
    left join alive a on a.run_id = r.run_id
    where r.origin = $origin
    group by r.digest
),
seen as (
    select p.*, c.cell_id, c.block_id,
           r.request_id as own_id, r.attempt_id as own_attempt,
           coalesce(r.state = 'answered', false) as own_answered,
           q.request_id as pending_id, q.attempt_id as pending_attempt,
           coalesce(q.state = 'answered', false) as pending_answered,
           coalesce(q.state <> 'answered' and live_q.run_id is null, false) as pending_open,
           s.answered_id, s.claimed_id, s.open_id, sa.attempt_id as other_attempt
    from placed p
    left join cells c
        on c.arm_id = p.arm_id and c.item_id = p.item_id and c.form = p.form
        and c.sample = p.sample and c.origin = $origin
    left join requests r on r.request_id = c.request_id and r.digest = p.digest
    left join requests q on q.request_id = c.pending_request_id and q.digest = p.digest
    left join alive live_q on live_q.run_id = q.run_id
    left join same s on s.digest = p.digest
    left join requests sa on sa.request_id = s.answered_id
),
timed as (
    select s.*,
           own_answered or answered_id is not null as have,
           case when own_answered then own_id else answered_id end as have_id,
           epoch($now - t.sent_at) as age_s,
           epoch($now - u.sent_at) as pending_age_s
    from seen s
    left join attempts t on t.attempt_id = case when own_answered then own_attempt else other_attempt end
    left join attempts u on pending_answered and u.attempt_id = s.pending_attempt
),
blocks as (
    select block,
           bool_and(have) as whole,
           bool_or(have) as any_have,
           coalesce(max(age_s) filter (where have) <= $gap_s, false) as young,
           bool_or(pending_answered)
               and bool_and(pending_id is not null)
               and coalesce(max(pending_age_s) <= $gap_s, false) as resumable,
           bool_or(claimed_id is not null) as claimed
    from timed
    group by block
)
select t.seq, t.block, t.item_id, t.text_id, t.cell_id, t.block_id, t.arm_id, t.form, t.sample, t.digest,
    case
        when whole and not $fresh then 'reuse'
        when resumable and pending_answered then 'kept'
        when $fresh and not resumable then case when claimed then 'claimed' else 'replace' end
        when claimed_id is not null then 'claimed'
        when resumable then 'resume'
        when have and young then 'reuse'
        when any_have and not young then case when claimed then 'claimed' else 'replace' end
        else 'ask'
    end as action,
    case
        when whole and not $fresh then have_id
        when resumable and pending_answered then pending_id
        when $fresh and not resumable then case when claimed then claimed_id end
        when claimed_id is not null then claimed_id
        when resumable then case when pending_open then pending_id end
        when have and young then have_id
        when any_have and not young then null
        else open_id
    end as request_id,
    have and not resumable and ($fresh or not whole and not young) as again
from timed t
join blocks using (block);
