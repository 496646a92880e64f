-- prices_models: every model that was ever asked, with where and by which route.
-- Columns: provider, model, route.
select distinct e.provider, a.model, e.route
from arms a join endpoints e using (endpoint_id)
order by all
