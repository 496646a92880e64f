-- pipeline_bodies: all that re-derives the digest of each request that keeps its own body. Parameters: none.
select r.request_id, r.digest, r.sample, r.body, a.params, e.digest as endpoint
from requests r
join arms a on a.arm_id = r.arm_id
join endpoints e on e.endpoint_id = a.endpoint_id
where r.body is not null;
