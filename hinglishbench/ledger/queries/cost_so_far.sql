-- cost_so_far: what the whole ledger may have come to, for a cap on it. Live attempts alone cost anything.
-- Columns: upper_usd, unpriced (attempts that may be billed and whose bound has no price).
select coalesce(sum(cost_upper_usd), 0)::decimal(38, 12) as upper_usd,
       count(*) filter (where cost_upper_usd is null)::bigint as unpriced
from attempt_costs
where origin = 'live' and billed <> 'no'
