-- Version 3.

-- Slots.  A sealed block becomes known at its operation's slot, and has its number among the known ones of its task
-- from then on.  Lists are in the order of these numbers, because the order of ids is that of the true ends.
ALTER TABLE blocks ADD COLUMN told INTEGER NOT NULL DEFAULT 0 CHECK (told >= -1);
DROP INDEX blocks_of_task;
CREATE INDEX blocks_of_task ON blocks (task) WHERE kind = 'sealed' AND told = 0;
CREATE INDEX blocks_told ON blocks (task, told) WHERE told > 0;

-- Escalations (B19).
-- What makes a block the same thing as another, as one text; empty: nothing does.
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

-- Texts that are ready and not told yet, for the comparison of a new one with them.
CREATE INDEX queries_coming ON queries (context) WHERE state = 'ready' AND outcome = 'delivered' AND category > 1;

-- Queries to Readers behind a network: bytes of words that went out with one, and with those of a task.
ALTER TABLE queries ADD COLUMN egress INTEGER NOT NULL DEFAULT 0 CHECK (egress >= 0);
ALTER TABLE tasks ADD COLUMN reader_egress INTEGER NOT NULL DEFAULT 0 CHECK (reader_egress >= 0);

-- Models behind a network that verify calls: bytes of a call that they were sent.
ALTER TABLE declarations ADD COLUMN reader_egress INTEGER NOT NULL DEFAULT 0 CHECK (reader_egress >= 0);

-- Whether what was shown for approval was to be given to the agent in a fence: only then does a grant cover that.
ALTER TABLE approvals ADD COLUMN fenced INTEGER NOT NULL DEFAULT 0 CHECK (fenced IN (0, 1));

-- Large content is stored apart, in parts (src/store/content.h).  Its holder: the process that stages it; 0: a row names
-- it; -1: it is to be removed.  A part's id is the content's, times 65536, and the part's number.
CREATE TABLE contents (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	holder INTEGER NOT NULL CHECK (holder >= -1),
	size INTEGER NOT NULL CHECK (size > 0)
) STRICT;
CREATE INDEX contents_unnamed ON contents (id) WHERE holder <> 0;
CREATE TABLE parts (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	bytes BLOB NOT NULL CHECK (length(bytes) > 0)
) STRICT;
ALTER TABLE results ADD COLUMN original_at INTEGER NOT NULL DEFAULT 0 CHECK (original_at >= 0);

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
	content_at INTEGER NOT NULL CHECK (content_at >= 0),
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
	CONSTRAINT sealed_is_untrusted CHECK (kind NOT IN ('sealed', 'delivery') OR trust = 'untrusted' OR
		(kind = 'sealed' AND trust = 'vetted' AND type = 'data' AND declaration > 0)),
	CONSTRAINT delivery_of_a_query CHECK (kind <> 'delivery' OR query > 0),
	CONSTRAINT purged_is_empty CHECK (purged_at = 0 OR (length(content) = 0 AND content_at = 0))
) STRICT;
INSERT INTO blocks SELECT id, revision, context, task, query, declaration, kind, trust, type, taint, put, put_by, given,
	told, 0, prev, prev_text, created_at, expires_at, purged_at, content_hash, source, tainted_by, attribution, origin,
	prints, content FROM blocks_before;
DROP TABLE blocks_before;
CREATE INDEX blocks_expiring ON blocks (expires_at) WHERE expires_at > 0 AND purged_at = 0;
CREATE INDEX blocks_of_task ON blocks (task) WHERE kind = 'sealed' AND told = 0;
CREATE INDEX blocks_told ON blocks (task, told) WHERE told > 0;
CREATE INDEX blocks_given ON blocks (context) WHERE given = 1;
CREATE INDEX blocks_outputs ON blocks (context) WHERE kind = 'output';

-- Upstream MCP servers and their tools (U4): as they were approved, and as they were last seen.
CREATE TABLE upstreams (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	revision INTEGER NOT NULL CHECK (revision >= 0),
	state TEXT NOT NULL CHECK (state IN ('seen', 'approved', 'held')),
	seen_at INTEGER NOT NULL,
	approved_at INTEGER NOT NULL,
	approved_by INTEGER NOT NULL CHECK (approved_by >= 0),
	program BLOB NOT NULL CHECK (length(program) = 32),
	seen_program BLOB NOT NULL CHECK (length(seen_program) = 32),
	name TEXT NOT NULL,
	about BLOB NOT NULL,
	seen_about BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX upstreams_named ON upstreams (name);

CREATE TABLE tools (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	revision INTEGER NOT NULL CHECK (revision >= 0),
	upstream INTEGER NOT NULL REFERENCES upstreams (id) DEFERRABLE INITIALLY DEFERRED,
	state TEXT NOT NULL CHECK (state IN ('seen', 'approved', 'held')),
	seen_at INTEGER NOT NULL,
	approved_at INTEGER NOT NULL,
	approved_by INTEGER NOT NULL CHECK (approved_by >= 0),
	pinned_hash BLOB NOT NULL CHECK (length(pinned_hash) = 32),
	seen_hash BLOB NOT NULL CHECK (length(seen_hash) = 32),
	alias TEXT NOT NULL,
	name BLOB NOT NULL,
	words BLOB NOT NULL,
	pinned BLOB NOT NULL,
	seen BLOB NOT NULL,
	CONSTRAINT approved_is_pinned CHECK (state = 'seen' OR length(alias) > 0),
	CONSTRAINT approved_is_seen CHECK (state <> 'approved' OR pinned_hash = seen_hash)
) STRICT;
CREATE INDEX tools_of_upstream ON tools (upstream);
CREATE UNIQUE INDEX tools_named ON tools (upstream, alias) WHERE alias <> '';

-- What came back when an upstream's tool failed (U6), and what contexts have sent to upstream servers since a human reset
-- them: what comes back from there may be the same again.
ALTER TABLE declarations ADD COLUMN fault INTEGER NOT NULL DEFAULT 0 CHECK (fault >= 0);
CREATE TABLE dealings (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	revision INTEGER NOT NULL CHECK (revision >= 0),
	context INTEGER NOT NULL REFERENCES contexts (id) DEFERRABLE INITIALLY DEFERRED,
	tainted INTEGER NOT NULL CHECK (tainted IN (0, 1)),
	carried INTEGER NOT NULL CHECK (carried IN (0, 1)),
	server TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX dealings_of_context ON dealings (context, server);
CREATE INDEX dealings_tainted ON dealings (server) WHERE tainted = 1;

-- Hosts (K11).  A token may have the role `hook`.  A column's CHECK cannot be changed, so the column is made anew.
ALTER TABLE tokens ADD COLUMN role_3 TEXT NOT NULL DEFAULT 'controller'
	CHECK (role_3 = 'controller' OR role_3 = 'reader' OR role_3 = 'supervisor' OR role_3 = 'host' OR role_3 = 'hook' OR
		role_3 = 'reviewer' OR role_3 = 'admin');
UPDATE tokens SET role_3 = role;
DROP INDEX tokens_readers;
ALTER TABLE tokens DROP COLUMN role;
ALTER TABLE tokens RENAME COLUMN role_3 TO role;
CREATE INDEX tokens_readers ON tokens (id) WHERE role = 'reader' AND revoked_at = 0;

-- Untrusted blocks of less than high taint that a host or a hook added since the last reset.
ALTER TABLE contexts ADD COLUMN own INTEGER NOT NULL DEFAULT 0 CHECK (own >= 0);

-- Everything is stopped: no external operation begins until a human says go.
ALTER TABLE system ADD COLUMN halted_at INTEGER NOT NULL DEFAULT 0 CHECK (halted_at >= 0);

-- The task of a context that has the calls of its host's own tools, and nothing else (K11).
ALTER TABLE tasks ADD COLUMN hosts INTEGER NOT NULL DEFAULT 0 CHECK (hosts IN (0, 1));
-- When a caller was told that it may make such a call; 0: nobody was.
ALTER TABLE declarations ADD COLUMN taken_at INTEGER NOT NULL DEFAULT 0 CHECK (taken_at >= 0);

-- Elicitations of upstream servers (U3): a kind of approval.  The column is made anew, like a token's role.
ALTER TABLE approvals ADD COLUMN kind_3 TEXT NOT NULL DEFAULT 'escalation'
	CHECK (kind_3 = 'escalation' OR kind_3 = 'summary' OR kind_3 = 'answer' OR kind_3 = 'declaration' OR
		kind_3 = 'tool_call' OR kind_3 = 'phase' OR kind_3 = 'upstream' OR kind_3 = 'elicitation');
UPDATE approvals SET kind_3 = kind;
ALTER TABLE approvals DROP COLUMN kind;
ALTER TABLE approvals RENAME COLUMN kind_3 TO kind;

-- Which process runs an upstream server for a context, or for all of them (0), if several have this store open (U1).
CREATE TABLE leases (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	revision INTEGER NOT NULL CHECK (revision >= 0),
	context INTEGER NOT NULL CHECK (context >= 0),
	holder INTEGER NOT NULL CHECK (holder >= 0),
	wanted INTEGER NOT NULL CHECK (wanted IN (0, 1)),
	server TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX leases_of_context ON leases (context, server);
CREATE INDEX leases_wanted ON leases (holder) WHERE wanted = 1;
