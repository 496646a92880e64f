-- estimate_history: what answers of arms came to so far, by form. In: $digests, $endpoints (digests), $models,
-- $efforts: lists of equal length, one entry an arm under test (which the ledger need not know yet).
-- One row an arm under test, form and kin; kin: 'arm' the same arm, 'model' the same endpoint, model and
-- effort with another prompt or other settings. Live answers with stated counts alone.
-- Columns: digest, kin, form (empty: the request is no cell's), n, in_mean, in_sd, out_mean, out_sd, cap (the largest cap among them).
with mine as (
    select distinct unnest($digests) as digest, unnest($endpoints) as endpoint, unnest($models) as model,
           unnest($efforts::varchar[]) as effort
),
kin as (
    select m.digest, a.arm_id, if(a.digest = m.digest, 'arm', 'model') as kin, a.max_tokens
    from mine m
    join endpoints e on e.digest = m.endpoint
    join arms a on a.endpoint_id = e.endpoint_id and a.model = m.model and a.effort is not distinct from m.effort
)
select k.digest, k.kin, coalesce(x.form, '') as form, count(*)::bigint as n,
       avg(t.prompt_tokens)::double as in_mean, coalesce(stddev_samp(t.prompt_tokens), 0)::double as in_sd,
       avg(t.billable_output_tokens)::double as out_mean,
       coalesce(stddev_samp(t.billable_output_tokens), 0)::double as out_sd,
       max(k.max_tokens)::integer as cap
from kin k
join requests r on r.arm_id = k.arm_id and r.state = 'answered' and r.origin = 'live'
join attempts t on t.attempt_id = r.attempt_id
left join texts x on x.text_id = r.text_id
where t.prompt_tokens is not null and t.billable_output_tokens is not null
group by all
order by all
