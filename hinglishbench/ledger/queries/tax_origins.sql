-- tax_origins: how many answers of each origin there are, and whether an item was asked more than once.
select origin, count(outcome) as answered, count(*) as cells, max(sample) > 0 as sampled
from cells
group by origin;
