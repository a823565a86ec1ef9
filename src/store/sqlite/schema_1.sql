-- Version 1 of the store.
--
-- Columns are those of the records (src/store/record.c), in an order of this file's own: what is large comes last, so
-- that reading and changing what is small does not walk through it.  0 stands for "none" in a reference; the column
-- <name>_ is the same with NULL, for the foreign key.  These are checked at the end of each operation, whatever the
-- order of its statements.  Rows are never removed, so no reference needs an index, and ids only grow.
--
-- What is written for every query (blocks, queries, effects, tasks, contexts, readers, events) has the constraints that
-- say what must be impossible, and no more: verification recomputes the rest.
--
-- A list of words is written out with OR: IN with more than two would be built as a table of its own for every row.
--
-- Indexes are few and small, or grow at their end: one whose key is random costs more than everything else of a write.

CREATE TABLE system (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	created_at INTEGER NOT NULL CHECK (created_at >= 0),
	audit_n INTEGER NOT NULL CHECK (audit_n >= 0),
	audit_last INTEGER NOT NULL CHECK (audit_last >= 0),
	audit_head BLOB NOT NULL CHECK (length(audit_head) = 32),
	audit_key BLOB NOT NULL CHECK (length(audit_key) = 32),
	policy BLOB NOT NULL CHECK (length(policy) = 32),
	id_key BLOB NOT NULL
) STRICT;

CREATE TABLE tokens (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	role TEXT NOT NULL
		CHECK (role = 'controller' OR role = 'reader' OR role = 'supervisor' OR role = 'host' OR
			role = 'reviewer' OR role = 'admin'),
	context INTEGER NOT NULL CHECK (context >= 0),
	parent INTEGER NOT NULL CHECK (parent >= 0),
	parent_ INTEGER AS (nullif(parent, 0)) REFERENCES tokens (id) DEFERRABLE INITIALLY DEFERRED,
	created_at INTEGER NOT NULL CHECK (created_at >= 0),
	expires_at INTEGER NOT NULL CHECK (expires_at >= 0),
	revoked_at INTEGER NOT NULL CHECK (revoked_at >= 0),
	secret BLOB NOT NULL CHECK (length(secret) = 32),
	name TEXT NOT NULL
) STRICT;
CREATE INDEX tokens_named ON tokens (name) WHERE revoked_at = 0;

CREATE TABLE contexts (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	token INTEGER NOT NULL,
	taint TEXT NOT NULL CHECK (taint = 'low' OR taint = 'medium' OR taint = 'high'),
	budget INTEGER NOT NULL,
	remaining INTEGER NOT NULL CHECK (remaining >= 0),
	reserved INTEGER NOT NULL CHECK (reserved >= 0),
	charged INTEGER NOT NULL CHECK (charged >= 0),
	total_1 INTEGER NOT NULL, total_2 INTEGER NOT NULL, total_3 INTEGER NOT NULL,
	exposed INTEGER NOT NULL,
	deliveries INTEGER NOT NULL,
	blocks INTEGER NOT NULL,
	last_block INTEGER NOT NULL,
	last_text INTEGER NOT NULL,
	reset_block INTEGER NOT NULL,
	resets INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	reset_at INTEGER NOT NULL,
	CHECK (budget = remaining + reserved + charged)
) STRICT;

CREATE TABLE tasks (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	context INTEGER NOT NULL REFERENCES contexts (id) DEFERRABLE INITIALLY DEFERRED,
	state TEXT NOT NULL CHECK (state = 'open' OR state = 'closed' OR state = 'failed'),
	phase TEXT NOT NULL CHECK (phase IN ('planning', 'execution')),
	budget INTEGER NOT NULL,
	remaining INTEGER NOT NULL CHECK (remaining >= 0),
	reserved INTEGER NOT NULL CHECK (reserved >= 0),
	charged INTEGER NOT NULL CHECK (charged >= 0),
	total_1 INTEGER NOT NULL, total_2 INTEGER NOT NULL, total_3 INTEGER NOT NULL,
	escalations INTEGER NOT NULL,
	escalation_limit INTEGER NOT NULL,
	pending INTEGER NOT NULL,
	blocks INTEGER NOT NULL,
	first_block INTEGER NOT NULL,
	queries INTEGER NOT NULL,
	opened_at INTEGER NOT NULL,
	ended_at INTEGER NOT NULL,
	audit_n INTEGER NOT NULL,
	audit_last INTEGER NOT NULL,
	audit_head BLOB NOT NULL CHECK (length(audit_head) = 32),
	policy BLOB NOT NULL CHECK (length(policy) = 32),
	reason TEXT NOT NULL,
	title TEXT NOT NULL,
	plan TEXT NOT NULL,
	CHECK (budget = remaining + reserved + charged)
) STRICT;
CREATE INDEX tasks_of_context ON tasks (context);
CREATE INDEX tasks_open ON tasks (context) WHERE state = 'open';

CREATE TABLE blocks (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	context INTEGER NOT NULL,
	task INTEGER NOT NULL,
	query INTEGER NOT NULL,
	kind TEXT NOT NULL CHECK (kind = 'sealed' OR kind = 'delivery' OR kind = 'host' OR kind = 'output'),
	trust TEXT NOT NULL CHECK (trust = 'trusted' OR trust = 'vetted' OR trust = 'untrusted'),
	type TEXT NOT NULL CHECK (type IN ('instruction', 'data')),
	taint TEXT NOT NULL CHECK (taint = 'low' OR taint = 'medium' OR taint = 'high'),
	put_by INTEGER NOT NULL,
	given INTEGER NOT NULL CHECK (given IN (0, 1)),
	prev INTEGER NOT NULL CHECK (prev >= 0 AND prev < id),
	prev_text INTEGER NOT NULL CHECK (prev_text >= 0 AND prev_text < id),
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	purged_at INTEGER NOT NULL,
	content_hash BLOB NOT NULL CHECK (length(content_hash) = 32),
	source TEXT NOT NULL,
	tainted_by TEXT NOT NULL,
	attribution TEXT NOT NULL,
	content BLOB NOT NULL,
	CONSTRAINT no_untrusted_instruction CHECK (NOT (trust = 'untrusted' AND type = 'instruction')),
	CONSTRAINT sealed_is_untrusted CHECK (kind NOT IN ('sealed', 'delivery') OR trust = 'untrusted'),
	CONSTRAINT delivery_of_a_query CHECK (kind <> 'delivery' OR query > 0),
	CONSTRAINT purged_is_empty CHECK (purged_at = 0 OR length(content) = 0)
) STRICT;
CREATE INDEX blocks_of_task ON blocks (task) WHERE kind = 'sealed';
CREATE INDEX blocks_expiring ON blocks (expires_at) WHERE expires_at > 0 AND purged_at = 0;

CREATE TABLE queries (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	task INTEGER NOT NULL,
	context INTEGER NOT NULL,
	n INTEGER NOT NULL CHECK (n > 0),
	category INTEGER NOT NULL CHECK (category = 1 OR category = 2 OR category = 3),
	state TEXT NOT NULL
		CHECK (state = 'approval' OR state = 'asking' OR state = 'held' OR state = 'ready' OR
			state = 'done'),
	outcome TEXT NOT NULL
		CHECK (outcome = 'none' OR outcome = 'delivered' OR outcome = 'failed' OR outcome = 'rejected' OR
			outcome = 'expired' OR outcome = 'budget'),
	reader_taint TEXT NOT NULL CHECK (reader_taint = 'low' OR reader_taint = 'medium' OR reader_taint = 'high'),
	content INTEGER NOT NULL,
	reserved INTEGER NOT NULL CHECK (reserved >= 0),
	length INTEGER NOT NULL,
	charged INTEGER NOT NULL CHECK (charged >= 0),
	escalation INTEGER NOT NULL CHECK (escalation IN (0, 1)),
	tries INTEGER NOT NULL,
	round INTEGER NOT NULL,
	admitted_at INTEGER NOT NULL,
	deadline_at INTEGER NOT NULL,
	ready_at INTEGER NOT NULL,
	release_at INTEGER NOT NULL,
	ended_at INTEGER NOT NULL,
	approval INTEGER NOT NULL,
	waits INTEGER NOT NULL,
	pending_at INTEGER NOT NULL,
	effect INTEGER NOT NULL,
	delivery INTEGER NOT NULL,
	event INTEGER NOT NULL,
	event_ INTEGER AS (nullif(event, 0)) REFERENCES task_audits (id) DEFERRABLE INITIALLY DEFERRED,
	reader TEXT NOT NULL,
	need TEXT NOT NULL,
	reason TEXT NOT NULL,
	blocks TEXT NOT NULL,
	body TEXT NOT NULL,
	held BLOB NOT NULL,
	CONSTRAINT outcome_from_ready_on CHECK ((state IN ('ready', 'done')) = (outcome <> 'none')),
	CONSTRAINT no_delivery_without_event
		CHECK (state <> 'done' OR outcome <> 'delivered' OR (event > 0 AND delivery > 0))
) STRICT;
CREATE INDEX queries_open ON queries (task) WHERE state <> 'done';

CREATE TABLE effects (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	kind TEXT NOT NULL CHECK (kind IN ('ask')),
	state TEXT NOT NULL
		CHECK (state = 'waiting' OR state = 'begun' OR state = 'done' OR state = 'failed' OR
			state = 'unknown'),
	holder INTEGER NOT NULL,
	task INTEGER NOT NULL,
	query INTEGER NOT NULL,
	round INTEGER NOT NULL,
	try INTEGER NOT NULL,
	prev INTEGER NOT NULL CHECK (prev >= 0 AND prev < id),
	created_at INTEGER NOT NULL,
	begun_at INTEGER NOT NULL,
	ended_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	purged_at INTEGER NOT NULL,
	reader TEXT NOT NULL,
	verdict TEXT NOT NULL,
	reasons BLOB NOT NULL,
	raw BLOB NOT NULL,
	CONSTRAINT purged_is_empty CHECK (purged_at = 0 OR length(raw) = 0)
) STRICT;
CREATE INDEX effects_open ON effects (reader) WHERE state IN ('waiting', 'begun');
CREATE INDEX effects_expiring ON effects (expires_at) WHERE expires_at > 0 AND purged_at = 0;

CREATE TABLE approvals (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	kind TEXT NOT NULL
		CHECK (kind = 'escalation' OR kind = 'summary' OR kind = 'answer' OR kind = 'declaration' OR
			kind = 'tool_call' OR kind = 'phase' OR kind = 'upstream'),
	state TEXT NOT NULL
		CHECK (state = 'pending' OR state = 'approved' OR state = 'rejected' OR state = 'edited' OR
			state = 'expired' OR state = 'used' OR state = 'void'),
	context INTEGER NOT NULL CHECK (context >= 0),
	context_ INTEGER AS (nullif(context, 0)) REFERENCES contexts (id) DEFERRABLE INITIALLY DEFERRED,
	task INTEGER NOT NULL CHECK (task >= 0),
	task_ INTEGER AS (nullif(task, 0)) REFERENCES tasks (id) DEFERRABLE INITIALLY DEFERRED,
	query INTEGER NOT NULL CHECK (query >= 0),
	query_ INTEGER AS (nullif(query, 0)) REFERENCES queries (id) DEFERRABLE INITIALLY DEFERRED,
	pages INTEGER NOT NULL CHECK (pages >= 0),
	uses INTEGER NOT NULL CHECK (uses >= 0),
	used INTEGER NOT NULL CHECK (used >= 0),
	requested_at INTEGER NOT NULL CHECK (requested_at >= 0),
	expires_at INTEGER NOT NULL CHECK (expires_at >= 0),
	decided_at INTEGER NOT NULL CHECK (decided_at >= 0),
	decided_by INTEGER NOT NULL CHECK (decided_by >= 0),
	decided_by_ INTEGER AS (nullif(decided_by, 0)) REFERENCES tokens (id) DEFERRABLE INITIALLY DEFERRED,
	digest BLOB NOT NULL CHECK (length(digest) = 32),
	arguments BLOB NOT NULL CHECK (length(arguments) = 32),
	content BLOB NOT NULL CHECK (length(content) = 32),
	definition BLOB NOT NULL CHECK (length(definition) = 32),
	policy BLOB NOT NULL CHECK (length(policy) = 32),
	operation TEXT NOT NULL,
	host TEXT NOT NULL,
	decided_from TEXT NOT NULL,
	note TEXT NOT NULL,
	edited BLOB NOT NULL,
	subject BLOB NOT NULL,
	CONSTRAINT no_use_too_many CHECK (used <= uses),
	CONSTRAINT pending_is_undecided CHECK (state <> 'pending' OR (decided_by = 0 AND used = 0))
) STRICT;
CREATE INDEX approvals_of_task ON approvals (task);
CREATE INDEX approvals_pending ON approvals (task) WHERE state = 'pending';

CREATE TABLE showings (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	approval INTEGER NOT NULL REFERENCES approvals (id) DEFERRABLE INITIALLY DEFERRED,
	token INTEGER NOT NULL REFERENCES tokens (id) DEFERRABLE INITIALLY DEFERRED,
	page INTEGER NOT NULL CHECK (page > 0),
	shown_at INTEGER NOT NULL CHECK (shown_at >= 0)
) STRICT;
CREATE INDEX showings_of_approval ON showings (approval);

CREATE TABLE readers (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	queries_1 INTEGER NOT NULL,
	queries_2 INTEGER NOT NULL,
	queries_3 INTEGER NOT NULL,
	total_1 INTEGER NOT NULL, total_2 INTEGER NOT NULL, total_3 INTEGER NOT NULL,
	name TEXT NOT NULL,
	quota_1 TEXT NOT NULL,
	quota_2 TEXT NOT NULL,
	quota_3 TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX readers_named ON readers (name);

CREATE TABLE needs (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	task INTEGER NOT NULL REFERENCES tasks (id) DEFERRABLE INITIALLY DEFERRED,
	lowest INTEGER NOT NULL CHECK (lowest = 1 OR lowest = 2 OR lowest = 3),
	name TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX needs_named ON needs (task, name);

-- The audit.  One row an event; ids run through both tables without a gap.
CREATE TABLE task_audits (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	chain INTEGER NOT NULL CHECK (chain > 0),
	n INTEGER NOT NULL CHECK (n > 0),
	prev INTEGER NOT NULL CHECK (prev >= 0 AND prev < id),
	at INTEGER NOT NULL,
	by INTEGER NOT NULL,
	kind TEXT NOT NULL,
	hash BLOB NOT NULL CHECK (length(hash) = 32),
	body TEXT NOT NULL
) STRICT;

CREATE TABLE system_logs (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	chain INTEGER NOT NULL CHECK (chain = 0),
	n INTEGER NOT NULL CHECK (n > 0),
	prev INTEGER NOT NULL CHECK (prev >= 0 AND prev < id),
	at INTEGER NOT NULL,
	by INTEGER NOT NULL CHECK (by >= 0),
	kind TEXT NOT NULL,
	hash BLOB NOT NULL CHECK (length(hash) = 32),
	body TEXT NOT NULL
) STRICT;

CREATE TABLE checkpoints (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	signature BLOB NOT NULL CHECK (length(signature) = 64),
	body TEXT NOT NULL
) STRICT;

-- One row: the number that was given to an open store last (holder.h).
CREATE TABLE holders (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	last INTEGER NOT NULL CHECK (last >= 0)
) STRICT;
INSERT INTO holders (id, last) VALUES (1, 0);
