-- Version 3.

-- Slots.  A sealed block becomes known at its operation's slot, and has its number among the known ones of its task
-- from then on.  Lists are in the order of these numbers, because the order of ids is that of the true ends.
ALTER TABLE blocks ADD COLUMN told INTEGER NOT NULL DEFAULT 0 CHECK (told >= -1);
DROP INDEX blocks_of_task;
CREATE INDEX blocks_of_task ON blocks (task) WHERE kind = 'sealed' AND told = 0;
CREATE INDEX blocks_told ON blocks (task, told) WHERE told > 0;

-- Escalations (B19).
-- Where a block came from, as one text for one thing; empty: it was not got by an operation.
ALTER TABLE blocks ADD COLUMN origin TEXT NOT NULL DEFAULT '';

-- The escalations of a context over all its tasks, since its last reset.
ALTER TABLE contexts ADD COLUMN escalations INTEGER NOT NULL DEFAULT 0 CHECK (escalations >= 0);

-- What a token's calls sent in one parameter, with what is constant taken out; an empty name: in all parameters.
CREATE TABLE sent (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	token INTEGER NOT NULL REFERENCES tokens (id) DEFERRABLE INITIALLY DEFERRED,
	moving INTEGER NOT NULL CHECK (moving IN (0, 1)),
	prefix INTEGER NOT NULL CHECK (prefix >= 0),
	suffix INTEGER NOT NULL CHECK (suffix >= 0),
	same_start INTEGER NOT NULL CHECK (same_start >= 0),
	same_end INTEGER NOT NULL CHECK (same_end >= 0),
	calls INTEGER NOT NULL CHECK (calls >= 0),
	fallen INTEGER NOT NULL CHECK (fallen >= 0),
	changed_at INTEGER NOT NULL CHECK (changed_at >= 0),
	name TEXT NOT NULL,
	last BLOB NOT NULL,
	lines BLOB NOT NULL CHECK (length(lines) <= 65536)
) STRICT;
CREATE UNIQUE INDEX sent_of_token ON sent (token, name);
-- What of a context is under way as far as the context knows: until it is told, whether it has ended or not.
CREATE INDEX declarations_untold ON declarations (context, operation) WHERE state IN ('running', 'ready');

-- The agents that a query can be put to.
CREATE INDEX tokens_readers ON tokens (id) WHERE role = 'reader' AND revoked_at = 0;

-- Budgets (B6).  What was set for the task or the token itself, in microbits; 2^53: nothing, the policy's counts; 0: the
-- row was made before this was kept.
ALTER TABLE contexts ADD COLUMN budget_own INTEGER NOT NULL DEFAULT 0 CHECK (budget_own >= 0);
ALTER TABLE tasks ADD COLUMN budget_own INTEGER NOT NULL DEFAULT 0 CHECK (budget_own >= 0);

-- Fingerprints of content that was removed.
ALTER TABLE blocks ADD COLUMN prints BLOB NOT NULL DEFAULT x'';

-- Format 2 of the audit (src/store/audit.h).  Events have no number that runs through all chains; they are numbered
-- within their chain.  Every row has a revision, and each change names it.
-- There is one writer, which takes an event's number from the head of its chain in the same transaction, and
-- verification demands 1, 2, ...  So no index over (chain, n): it would cost 40 % of the time of every append.
ALTER TABLE system ADD COLUMN format INTEGER NOT NULL DEFAULT 0 CHECK (format IN (0, 2));
ALTER TABLE tasks ADD COLUMN audit_seen INTEGER NOT NULL DEFAULT 0 CHECK (audit_seen >= 0);
ALTER TABLE system ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
ALTER TABLE tokens ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
ALTER TABLE contexts ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
ALTER TABLE tasks ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
ALTER TABLE blocks ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
ALTER TABLE queries ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
ALTER TABLE effects ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
ALTER TABLE approvals ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
ALTER TABLE showings ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
ALTER TABLE readers ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
ALTER TABLE needs ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
ALTER TABLE declarations ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
ALTER TABLE results ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
ALTER TABLE rates ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
ALTER TABLE sent ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
-- Models that verify calls: when they were asked, and the slot from which their verdict counts.
ALTER TABLE declarations ADD COLUMN verify_at INTEGER NOT NULL DEFAULT 0 CHECK (verify_at >= 0);
ALTER TABLE declarations ADD COLUMN verdict_at INTEGER NOT NULL DEFAULT 0 CHECK (verdict_at >= 0);

-- What is shown with an approval: the goal and the user's words as the context's host added them last (blocks), and
-- whether only an admin can decide it.
ALTER TABLE contexts ADD COLUMN goal INTEGER NOT NULL DEFAULT 0 CHECK (goal >= 0);
ALTER TABLE contexts ADD COLUMN asked INTEGER NOT NULL DEFAULT 0 CHECK (asked >= 0);
ALTER TABLE approvals ADD COLUMN admin INTEGER NOT NULL DEFAULT 0 CHECK (admin IN (0, 1));

-- Why a Reader is asked again: the code of the try before (B16); and that try.
ALTER TABLE effects ADD COLUMN again TEXT NOT NULL DEFAULT '';
ALTER TABLE effects ADD COLUMN before INTEGER NOT NULL DEFAULT 0 CHECK (before >= 0);

-- The call that brought a sealed block: a delivery's attribution names the Controller's own parameters (B23).
ALTER TABLE blocks ADD COLUMN declaration INTEGER NOT NULL DEFAULT 0 CHECK (declaration >= 0);

-- Decisions on plans, declarations and calls: the slot at which one takes effect (0: it has), and what was charged for
-- what can be told from it.
ALTER TABLE approvals ADD COLUMN told_at INTEGER NOT NULL DEFAULT 0 CHECK (told_at >= 0);
ALTER TABLE approvals ADD COLUMN charged INTEGER NOT NULL DEFAULT 0 CHECK (charged >= 0);
CREATE INDEX approvals_untold ON approvals (task) WHERE told_at > 0;

-- Content that is put in, in bytes: of a block, of a task, of a context since its last reset.
ALTER TABLE blocks ADD COLUMN put INTEGER NOT NULL DEFAULT 0 CHECK (put >= 0);
ALTER TABLE tasks ADD COLUMN put INTEGER NOT NULL DEFAULT 0 CHECK (put >= 0);
ALTER TABLE contexts ADD COLUMN put INTEGER NOT NULL DEFAULT 0 CHECK (put >= 0);

-- What a token's contexts took over the last 24 hours, and those of the tokens that it made (core/policy/window.h).
ALTER TABLE tokens ADD COLUMN day_bits INTEGER NOT NULL DEFAULT 0 CHECK (day_bits >= 0);
ALTER TABLE tokens ADD COLUMN day_escalations INTEGER NOT NULL DEFAULT 0 CHECK (day_escalations >= 0);
ALTER TABLE tokens ADD COLUMN day_put INTEGER NOT NULL DEFAULT 0 CHECK (day_put >= 0);
ALTER TABLE tokens ADD COLUMN day_marks TEXT NOT NULL DEFAULT '';

-- What transports keep from one request to the next (src/store/kept.h): sessions of MCP, the streams that a client can
-- come back to and their events, request states that were used.  Beside the record: neither in events nor verified.
CREATE TABLE kept (
	id INTEGER PRIMARY KEY,
	kind TEXT NOT NULL CHECK (kind IN ('session', 'stream', 'event', 'state')),
	key BLOB NOT NULL CHECK (length(key) = 32),
	stream INTEGER NOT NULL CHECK (stream >= 0),
	part INTEGER NOT NULL CHECK (part >= 0),
	token INTEGER NOT NULL REFERENCES tokens (id) DEFERRABLE INITIALLY DEFERRED,
	until INTEGER NOT NULL CHECK (until >= 0),
	number INTEGER NOT NULL CHECK (number >= 0),
	value BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX kept_by_key ON kept (key, kind, stream, part);
CREATE INDEX kept_of_token ON kept (token, kind, until);
CREATE INDEX kept_of_kind ON kept (kind, until);
CREATE INDEX kept_until ON kept (until);

-- Queries to Readers behind a network: bytes of words that went out with one, and with those of a task.
ALTER TABLE queries ADD COLUMN egress INTEGER NOT NULL DEFAULT 0 CHECK (egress >= 0);
ALTER TABLE tasks ADD COLUMN reader_egress INTEGER NOT NULL DEFAULT 0 CHECK (reader_egress >= 0);

-- Models behind a network that verify calls: bytes of a call that they were sent.
ALTER TABLE declarations ADD COLUMN reader_egress INTEGER NOT NULL DEFAULT 0 CHECK (reader_egress >= 0);

-- Whether what was shown for approval was to be given to the agent in a fence: only then does a grant cover that.
ALTER TABLE approvals ADD COLUMN fenced INTEGER NOT NULL DEFAULT 0 CHECK (fenced IN (0, 1));

-- Content stands last.  SQLite reads a row from its beginning, page after page: a column that stands after content would
-- be read in a time that follows from the content's size, and so would all that looks at a block without its content.
-- A column that is added to blocks goes into this table, before the sealed ones.
CREATE TABLE blocks_before AS SELECT * FROM blocks;
DROP TABLE blocks;
CREATE TABLE blocks (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	revision INTEGER NOT NULL CHECK (revision >= 0),
	context INTEGER NOT NULL,
	task INTEGER NOT NULL,
	query INTEGER NOT NULL,
	declaration INTEGER NOT NULL CHECK (declaration >= 0),
	kind TEXT NOT NULL CHECK (kind = 'sealed' OR kind = 'delivery' OR kind = 'host' OR kind = 'output'),
	trust TEXT NOT NULL CHECK (trust = 'trusted' OR trust = 'vetted' OR trust = 'untrusted'),
	type TEXT NOT NULL CHECK (type IN ('instruction', 'data')),
	taint TEXT NOT NULL CHECK (taint = 'low' OR taint = 'medium' OR taint = 'high'),
	put INTEGER NOT NULL CHECK (put >= 0),
	put_by INTEGER NOT NULL,
	given INTEGER NOT NULL CHECK (given IN (0, 1)),
	told INTEGER NOT NULL CHECK (told >= -1),
	prev INTEGER NOT NULL CHECK (prev >= 0 AND prev < id),
	prev_text INTEGER NOT NULL CHECK (prev_text >= 0 AND prev_text < id),
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	purged_at INTEGER NOT NULL,
	content_hash BLOB NOT NULL CHECK (length(content_hash) = 32),
	source TEXT NOT NULL,
	tainted_by TEXT NOT NULL,
	attribution TEXT NOT NULL,
	origin TEXT NOT NULL,
	prints BLOB NOT NULL,
	content BLOB NOT NULL,
	CONSTRAINT no_untrusted_instruction CHECK (NOT (trust = 'untrusted' AND type = 'instruction')),
	CONSTRAINT sealed_is_untrusted CHECK (kind NOT IN ('sealed', 'delivery') OR trust = 'untrusted'),
	CONSTRAINT delivery_of_a_query CHECK (kind <> 'delivery' OR query > 0),
	CONSTRAINT purged_is_empty CHECK (purged_at = 0 OR length(content) = 0)
) STRICT;
INSERT INTO blocks SELECT id, revision, context, task, query, declaration, kind, trust, type, taint, put, put_by, given,
	told, prev, prev_text, created_at, expires_at, purged_at, content_hash, source, tainted_by, attribution, origin,
	prints, content FROM blocks_before;
DROP TABLE blocks_before;
CREATE INDEX blocks_expiring ON blocks (expires_at) WHERE expires_at > 0 AND purged_at = 0;
CREATE INDEX blocks_of_task ON blocks (task) WHERE kind = 'sealed' AND told = 0;
CREATE INDEX blocks_told ON blocks (task, told) WHERE told > 0;
