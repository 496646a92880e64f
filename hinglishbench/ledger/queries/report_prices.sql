-- report_prices: the price rows that dollars of this origin rest on, with how many attempts used each.
-- In: $origin. `source` "stated by the provider": the reply itself named its cost.
select e.provider, e.route, a.model, coalesce(k.price_source, 'none: ' || coalesce(k.unpriced_reason, 'unknown')) as source,
       p.start_at, p.input_usd, p.cached_input_usd, p.output_usd, p.reasoning_usd, p.request_usd, p.note,
       p.recorded_at, count(*) as attempts
from attempt_costs k
join arms a using (arm_id)
join endpoints e using (endpoint_id)
left join prices p on p.price_id = k.price_id and k.price_source = p.source
where k.origin = $origin and k.billed <> 'no'
group by all
order by e.provider, a.model, p.start_at nulls last, source
