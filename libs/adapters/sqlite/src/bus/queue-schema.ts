/** How far each follower of the log has come. A flipped byte in a position could skip events, so each row has a CRC-32. */
export const CHECKPOINTS = `
  CREATE TABLE checkpoints (
    name TEXT PRIMARY KEY,
    position TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/**
 * `messages` has one row per message, `entries` one per message and group that has not settled it. Only the oldest entry of a key is
 * ever ready, leased or waiting; later ones are blocked. So a batch never holds two messages of one key, and finding work is one index
 * lookup, however long the queue is.
 *
 * `state`: 0 ready, 1 blocked, 2 leased, 3 waiting for a retry. The SQL uses literals, because a partial index does not apply to
 * parameters. `due` is when a retry may start (waiting) or when the lease expires (leased). `published` stores the ids; `forget_at` is
 * set when the message is deleted.
 */
export const SCHEMA = `
  CREATE TABLE groups (
    id INTEGER PRIMARY KEY,
    topic TEXT NOT NULL,
    name TEXT NOT NULL,
    lag INTEGER NOT NULL,
    UNIQUE (topic, name)
  ) STRICT;

  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    topic TEXT NOT NULL,
    id TEXT NOT NULL,
    key TEXT NOT NULL,
    headers TEXT NOT NULL,
    body TEXT NOT NULL,
    published_at INTEGER NOT NULL,
    unsettled_groups INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE entries (
    group_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    state INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    lost INTEGER NOT NULL DEFAULT 0,
    lease INTEGER,
    due INTEGER,
    PRIMARY KEY (group_id, key, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX ready_entries ON entries (group_id, seq) WHERE state = 0;
  CREATE INDEX due_entries ON entries (group_id, due) WHERE due IS NOT NULL;

  CREATE TABLE published (
    topic TEXT NOT NULL,
    id TEXT NOT NULL,
    forget_at INTEGER,
    PRIMARY KEY (topic, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX forgettable ON published (forget_at) WHERE forget_at IS NOT NULL;

  CREATE TABLE dead_letters (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    group_id INTEGER NOT NULL,
    message_id TEXT NOT NULL,
    key TEXT NOT NULL,
    headers TEXT NOT NULL,
    body TEXT NOT NULL,
    published_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    error TEXT NOT NULL,
    failed_at INTEGER NOT NULL
  ) STRICT;
${CHECKPOINTS}`;
