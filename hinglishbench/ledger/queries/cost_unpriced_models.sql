-- cost_unpriced_models: whose attempts may be billed and have no price. Columns: provider, model, route.
select distinct e.provider, a.model, e.route
from attempt_costs k
join arms a using (arm_id)
join endpoints e using (endpoint_id)
where k.origin = 'live' and k.billed <> 'no' and k.cost_upper_usd is null
order by all
