-- pipeline_replies: what came of requests, known by what they are. In: temp table asked_for(digest); $origin.
-- The latest request of an identity counts; one row each, none for what was never claimed.
-- state: planned | answered | error. billed tokens are those of the attempt that answered.
select r.digest, r.request_id, r.state, t.text, t.reasoning, t.finish_reason, t.error, t.message,
       t.billable_output_tokens as output_tokens, t.run_id
from (
    select digest, max(request_id) as request_id
    from requests
    where origin = $origin and digest in (select digest from asked_for)
    group by digest
) latest
join requests r using (request_id)
left join attempts t on t.attempt_id = r.attempt_id
order by r.request_id;
