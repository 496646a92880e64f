-- The tables. Times are TIMESTAMP in UTC. Large tables join on plain integer keys given out by the
-- writer (one process writes at a time), without indexes: on a million cells an index costs more than
-- it saves; `hbench ledger verify` checks what an index would have enforced.

create table runs (
    run_id          integer primary key,
    run_key         varchar not null unique,   -- stands in the journal's first line and its file name
    journal         varchar not null,          -- file name inside LEDGER.journal/
    journal_offset  bigint  not null default 0,-- bytes taken in, moved in the transaction that took them
    origin          varchar not null,          -- live | replay | import
    suite           varchar not null,
    version         varchar not null,          -- of hinglishbench
    options         varchar not null,          -- JSON: what was asked for, without keys
    started_at      timestamp not null,
    ended_at        timestamp,
    status          varchar,                   -- done | errors | budget | endpoint | deadline | interrupted | died; NULL: going on
    summary         varchar                    -- JSON: what `hbench run --json` printed
);

create table endpoints (
    endpoint_id integer primary key,
    digest      varchar not null unique,       -- endpoint:sha256:… over provider, route, address
    provider    varchar not null,
    route       varchar not null,              -- direct | hf | local
    address     varchar not null               -- normalised base URL, --endpoint NAME, or the model file's digest
);

create table prompts (
    prompt_id integer primary key,
    digest    varchar not null unique,         -- prompt:sha256:…
    name      varchar not null,
    content   varchar not null                 -- canonical JSON of the whole prompt file
);

create table arms (
    arm_id      integer primary key,
    digest      varchar not null unique,       -- arm:sha256:…
    endpoint_id integer not null,
    prompt_id   integer not null,
    model       varchar not null,
    effort      varchar,                       -- NULL: the field was not sent
    temperature double,                        -- NULL: the field was not sent
    max_tokens  integer,
    params      varchar not null               -- canonical JSON of the request body without its messages
);

create table items (
    item_id integer primary key,
    suite   varchar not null,
    key     varchar not null,                  -- the item's own id
    answer  varchar not null,                  -- JSON: the gold now in force, a string or a list; grades keep theirs
    grader  varchar not null,
    tier    varchar,
    topic   varchar,
    options varchar,                           -- JSON: options, labels, tolerance, where the grader needs them
    meta    varchar,                           -- JSON: further keys of the line
    unique (suite, key)
);

create table texts (
    text_id integer primary key,
    item_id integer not null,
    form    varchar not null,
    text    varchar not null,
    unique (item_id, form, text)
);

create table cells (
    cell_id            integer not null,
    block_id           integer not null,       -- arm x item x sample x origin
    arm_id             integer not null,
    item_id            integer not null,
    form               varchar not null,
    sample             integer not null,
    origin             varchar not null,
    text_id            integer not null,
    request_id         integer not null,       -- the request that answers (or will answer) this cell
    pending_request_id integer,                -- asked to replace it; moved up when its whole block is answered
    attempt_id         integer,                -- the attempt that holds the answer
    grade_id           integer,                -- the grade in force
    outcome            varchar                 -- of that grade, or 'error'; NULL: not asked yet
);

create table requests (
    request_id integer not null,
    digest     uuid    not null,               -- first half of sha256 over endpoint, body as sent, sample
    arm_id     integer not null,
    run_id     integer not null,               -- who asked, or is asking
    sample     integer not null,
    purpose    varchar not null,               -- eval | translate | solve | generate | …
    suite      varchar not null,               -- for which it was asked
    origin     varchar not null,
    state      varchar not null,               -- planned | answered | error
    attempt_id integer,                        -- the attempt that ended it
    text_id    integer,                        -- of eval requests: arm, prompt and text rebuild the body
    body       varchar                         -- of all others: as sent
);

create table attempts (
    attempt_id            integer not null,
    request_id            integer not null,
    run_id                integer not null,
    arm_id                integer not null,
    try                   integer not null,    -- 1, 2, … within request and run
    origin                varchar not null,
    sent_at               timestamp not null,
    ended_at              timestamp,           -- NULL: the process died while it was in flight
    first_token_s         float,
    status                integer,             -- HTTP
    error                 varchar,             -- slug; NULL: a complete answer
    message               varchar,             -- of the error, one line
    billed                varchar not null,    -- yes | no | maybe
    prompt_tokens         integer,
    completion_tokens     integer,             -- as reported
    reasoning_tokens      integer,
    cached_tokens         integer,
    billable_output_tokens integer,            -- by output_rule
    output_rule           varchar,             -- inside | outside | assumed | inconsistent
    upper_prompt_tokens   bigint,              -- what it may have cost at most
    upper_output_tokens   bigint,
    reported_cost_usd     decimal(18, 12),
    finish_reason         varchar,
    model                 varchar,             -- as the reply names it
    reply_id              varchar,
    reasoning_observed    boolean,
    text                  varchar,             -- content as received
    reasoning             varchar,
    usage                 varchar              -- JSON, as received
);

create table grades (
    grade_id       integer not null,
    cell_id        integer not null,
    attempt_id     integer not null,
    grader_version varchar not null,
    gold           varchar not null,           -- JSON, as it was when graded
    parsed         varchar,
    outcome        varchar not null,           -- correct | wrong | unparsed | truncated | filtered
    score          float   not null,
    method         varchar not null,
    graded_at      timestamp not null
);

create table prices (
    price_id          integer primary key,
    set_id            integer not null,        -- rows recorded together: the newest set of a start counts
    provider          varchar not null,
    model             varchar not null,
    route             varchar,                 -- NULL: whatever the route
    source            varchar not null,        -- user | builtin | hf-router | genai-prices | …
    priority          integer not null,        -- the lowest number of a model counts
    start_at          timestamp not null,      -- 1970-01-01: always
    above_tokens      integer not null default 0,     -- for prompts of more tokens than this
    day_from_s        integer not null default 0,     -- seconds of the day (UTC), from
    day_to_s          integer not null default 86400, -- and up to (excluded)
    input_usd         decimal(18, 12),         -- each per token
    cached_input_usd  decimal(18, 12),         -- NULL: cached input costs as input
    cache_write_usd   decimal(18, 12),         -- moves upper bounds alone
    output_usd        decimal(18, 12),
    reasoning_usd     decimal(18, 12),         -- NULL: reasoning costs as output
    request_usd       decimal(18, 12),
    note              varchar,
    recorded_at       timestamp not null
);

create table limits (
    run_id      integer not null,
    endpoint_id integer not null,
    changed_at  timestamp not null,
    concurrency integer not null,
    reason      varchar not null
);

create table statements (
    statement_id integer primary key,
    provider     varchar,
    from_at      timestamp,
    to_at        timestamp,
    amount_usd   decimal(18, 12) not null,
    source       varchar not null,
    entered_at   timestamp not null
);
