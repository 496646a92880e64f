-- verify_requests: all that rebuilds the body of each eval request. Parameters: none.
select r.request_id, r.digest, r.sample, r.body, a.params, p.name, p.content, e.digest as endpoint,
       i.key, x.form, x.text,
       case when x.form = 'en' then x.text else (
           select arg_max(en.text, en.text_id) from texts en where en.item_id = x.item_id and en.form = 'en'
       ) end as text_en,
       i.options, i.meta
from requests r
join texts x on x.text_id = r.text_id
join items i on i.item_id = x.item_id
join arms a on a.arm_id = r.arm_id
join prompts p on p.prompt_id = a.prompt_id
join endpoints e on e.endpoint_id = a.endpoint_id
where r.purpose = 'eval' and r.body is null;
