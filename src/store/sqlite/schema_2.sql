-- Version 2: external operations.
--
-- A declaration is its own entry of the outbox: `running` is marked before the effect.  What came back is a block; what
-- came with it, the world's words, is a result.

ALTER TABLE contexts ADD COLUMN last_declaration INTEGER NOT NULL DEFAULT 0 CHECK (last_declaration >= 0);
ALTER TABLE tasks ADD COLUMN egress INTEGER NOT NULL DEFAULT 0 CHECK (egress >= 0);

CREATE TABLE declarations (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	task INTEGER NOT NULL REFERENCES tasks (id) DEFERRABLE INITIALLY DEFERRED,
	context INTEGER NOT NULL REFERENCES contexts (id) DEFERRABLE INITIALLY DEFERRED,
	prev INTEGER NOT NULL CHECK (prev >= 0 AND prev < id),
	state TEXT NOT NULL
		CHECK (state = 'declared' OR state = 'asked' OR state = 'running' OR state = 'ready' OR
			state = 'done'),
	ended TEXT NOT NULL
		CHECK (ended = 'none' OR ended = 'ok' OR ended = 'failed' OR ended = 'unknown' OR ended = 'denied' OR
			ended = 'rejected' OR ended = 'expired'),
	triage TEXT NOT NULL CHECK (triage = 'none' OR triage = 'allow' OR triage = 'deny' OR triage = 'pass'),
	supervised TEXT NOT NULL
		CHECK (supervised = 'none' OR supervised = 'allow' OR supervised = 'deny' OR supervised = 'pass'),
	screened INTEGER NOT NULL CHECK (screened IN (0, 1)),
	fenced INTEGER NOT NULL CHECK (fenced IN (0, 1)),
	approval INTEGER NOT NULL CHECK (approval >= 0),
	approval_ INTEGER AS (nullif(approval, 0)) REFERENCES approvals (id) DEFERRABLE INITIALLY DEFERRED,
	asks INTEGER NOT NULL CHECK (asks >= 0),
	asks_ INTEGER AS (nullif(asks, 0)) REFERENCES approvals (id) DEFERRABLE INITIALLY DEFERRED,
	verified INTEGER NOT NULL CHECK (verified >= 0),
	verified_ INTEGER AS (nullif(verified, 0)) REFERENCES approvals (id) DEFERRABLE INITIALLY DEFERRED,
	replaced INTEGER NOT NULL CHECK (replaced >= 0),
	modified INTEGER NOT NULL CHECK (modified >= 0 AND modified < id),
	egress INTEGER NOT NULL CHECK (egress >= 0),
	reserved INTEGER NOT NULL CHECK (reserved >= 0),
	charged INTEGER NOT NULL CHECK (charged >= 0),
	holder INTEGER NOT NULL CHECK (holder >= 0),
	working INTEGER NOT NULL CHECK (working IN (0, 1)),
	block INTEGER NOT NULL CHECK (block >= 0),
	block_ INTEGER AS (nullif(block, 0)) REFERENCES blocks (id) DEFERRABLE INITIALLY DEFERRED,
	declared_at INTEGER NOT NULL CHECK (declared_at >= 0),
	begun_at INTEGER NOT NULL CHECK (begun_at >= 0),
	ended_at INTEGER NOT NULL CHECK (ended_at >= 0),
	wall_ms INTEGER NOT NULL CHECK (wall_ms >= 0),
	release_at INTEGER NOT NULL CHECK (release_at >= 0),
	arguments BLOB NOT NULL CHECK (length(arguments) = 32),
	content BLOB NOT NULL CHECK (length(content) = 32),
	operation TEXT NOT NULL,
	host TEXT NOT NULL,
	reason TEXT NOT NULL,
	parameters TEXT NOT NULL,
	justification TEXT NOT NULL,
	CONSTRAINT ended_from_ready_on CHECK ((state IN ('ready', 'done')) = (ended <> 'none')),
	CONSTRAINT running_is_held
		CHECK ((state <> 'running' OR working = 1) AND (working = 0 OR (holder > 0 AND begun_at > 0))),
	CONSTRAINT ok_has_a_block CHECK ((ended = 'ok') = (block > 0)),
	CONSTRAINT nothing_back_without_begin CHECK (ended NOT IN ('ok', 'failed', 'unknown') OR begun_at > 0)
) STRICT;
CREATE INDEX declarations_of_task ON declarations (task);
CREATE INDEX declarations_open ON declarations (task) WHERE state <> 'done';
CREATE INDEX declarations_working ON declarations (operation) WHERE working = 1;
CREATE INDEX declarations_of_approval ON declarations (approval) WHERE approval > 0;
CREATE INDEX declarations_asking ON declarations (asks) WHERE asks > 0;

CREATE TABLE results (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	declaration INTEGER NOT NULL REFERENCES declarations (id) DEFERRABLE INITIALLY DEFERRED,
	task INTEGER NOT NULL REFERENCES tasks (id) DEFERRABLE INITIALLY DEFERRED,
	created_at INTEGER NOT NULL CHECK (created_at >= 0),
	expires_at INTEGER NOT NULL CHECK (expires_at >= 0),
	purged_at INTEGER NOT NULL CHECK (purged_at >= 0),
	original_hash BLOB NOT NULL CHECK (length(original_hash) = 32),
	details BLOB NOT NULL,
	original BLOB NOT NULL,
	CONSTRAINT purged_is_empty CHECK (purged_at = 0 OR (length(original) = 0 AND length(details) = 0))
) STRICT;
CREATE INDEX results_of_declaration ON results (declaration);
CREATE INDEX results_expiring ON results (expires_at) WHERE expires_at > 0 AND purged_at = 0;

CREATE TABLE rates (
	id INTEGER PRIMARY KEY CHECK (id > 0),
	context INTEGER NOT NULL REFERENCES contexts (id) DEFERRABLE INITIALLY DEFERRED,
	operation TEXT NOT NULL,
	quota TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX rates_of_context ON rates (context, operation);
