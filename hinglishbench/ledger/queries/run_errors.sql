-- run_errors: why cells of one run ended in an error, the most frequent reason first. In: $run_id.
select t.error, t.message, count(*)::integer as cells
from requests r
join attempts t on t.attempt_id = r.attempt_id
where r.run_id = $run_id and r.state = 'error'
group by all
order by cells desc, error, message
limit 5;
