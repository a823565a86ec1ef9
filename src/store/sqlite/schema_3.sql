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
