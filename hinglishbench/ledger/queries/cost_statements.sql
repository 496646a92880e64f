-- cost_statements: a statement that stands in the ledger already. In: $provider, $from_at, $to_at, $amount,
-- $source. Columns: statement_id.
select statement_id from statements
where provider is not distinct from $provider and from_at is not distinct from $from_at
  and to_at is not distinct from $to_at and amount_usd = $amount and source = $source
