import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { Heads } from './heads.mjs';
import { ANY, DELETED_TB, EMPTY, NO_STREAM, STREAM_EXISTS } from './protocol.mjs';

/** Revision of a `$streamDeleted` event. */
const TOMBSTONE = '9223372036854775807';
const isMeta = (name) => name.startsWith('$$');

/** The state of a stream as readers see it: after the last replicated transaction. */
const viewOf = ({ last, tomb, meta }) => ({ last, tomb, meta });

/**
 * The log: streams, $all, idempotency, soft delete and tombstones, stream metadata; in one SQLite file. Acknowledged events are on
 * disk (synchronous=FULL); appends that wait together share one transaction, and so one flush. In a cluster, events are
 * acknowledged and shown to readers when another node has them.
 */
export class EventLog {
  #db;
  #q;
  #all;
  #streams = new Map();
  #names = [];
  #recent = new Map();
  #next;
  #queue = [];
  #wake = new Set();
  #maxRecent;
  #replicate;
  /** Rows of the open transaction. */
  #written = [];
  #flushing = false;
  /** Readers see the events before it. */
  #shownEnd;
  constructor(file = ':memory:', { sync = 'FULL', recentIds = 80_000, systemEvents = true, replicate = () => undefined } = {}) {
    this.#maxRecent = recentIds;
    this.#replicate = replicate;
    const db = (this.#db = new DatabaseSync(file));
    db.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=${sync}; PRAGMA busy_timeout=5000;
      CREATE TABLE IF NOT EXISTS streams(sid INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
      CREATE TABLE IF NOT EXISTS events(pos INTEGER PRIMARY KEY, post INTEGER NOT NULL, sid INTEGER NOT NULL,
        rev INTEGER NOT NULL, tomb INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, json INTEGER NOT NULL,
        created INTEGER NOT NULL, data BLOB NOT NULL, meta BLOB NOT NULL) STRICT;
      CREATE UNIQUE INDEX IF NOT EXISTS by_stream ON events(sid, rev);`);
    this.#q = {
      addStream: db.prepare('INSERT INTO streams(name) VALUES(?)'),
      add: db.prepare('INSERT INTO events VALUES(?,?,?,?,?,?,?,?,?,?,?)'),
      fwd: db.prepare('SELECT * FROM events WHERE sid=? AND rev>=? AND rev<=? ORDER BY rev LIMIT ?'),
      bwd: db.prepare('SELECT * FROM events WHERE sid=? AND rev<=? AND rev>=? ORDER BY rev DESC LIMIT ?'),
      one: db.prepare('SELECT * FROM events WHERE sid=? AND rev=?'),
      id: db.prepare('SELECT id FROM events WHERE sid=? AND rev=?'),
      at: db.prepare('SELECT * FROM events WHERE pos=?'),
    };
    for (const r of db
      .prepare(
        `SELECT s.sid, s.name, MAX(e.rev) last, MAX(e.tomb) tomb FROM streams s
        LEFT JOIN events e ON e.sid=s.sid AND e.tomb=0 GROUP BY s.sid`,
      )
      .all())
      this.#put(r.name, r.sid, r.last ?? -1);
    for (const r of db.prepare('SELECT sid FROM events WHERE tomb=1').all()) this.#names[r.sid].tomb = true;
    this.#all = new Heads(db.prepare('SELECT pos, post, sid, type FROM events ORDER BY pos').all());
    this.#next = this.#all.end;
    for (const s of this.#streams.values()) if (isMeta(s.name) && s.last >= 0) this.#setMeta(s.name, this.#q.one.get(s.sid, s.last));
    if (!this.#next && systemEvents)
      // $all of a real server is never empty, and also contains system events
      for (const [type, data] of [
        ['$ServerStarted', '{}'],
        ['$ClusterSettings', '{"n":1}'],
      ])
        this.#append('$double-system', ANY, [{ id: randomUUID(), type, json: 1, data: Buffer.from(data), meta: EMPTY }]);
    this.#written = [];
    this.#show(this.#streams.values());
  }
  /** Makes the new events of these streams visible to readers. */
  #show(streams) {
    for (const s of streams) s.view = viewOf(s);
    this.#shownEnd = this.#next;
  }
  #put(name, sid, last) {
    const s = { name, sid, last, tomb: false, meta: {}, view: { last: -1, tomb: false, meta: {} } };
    this.#streams.set(name, s);
    this.#names[sid] = s;
    return s;
  }
  #make(name) {
    return this.#streams.get(name) ?? this.#put(name, Number(this.#q.addStream.run(name).lastInsertRowid), -1);
  }
  nameOf(sid) {
    return this.#names[sid].name;
  }
  /** state of a stream as readers see it; a metastream is deleted with its stream */
  stream(name) {
    const s = this.#streams.get(name);
    const tomb = s?.view.tomb || (isMeta(name) && !!this.#streams.get(name.slice(2))?.view.tomb);
    return { sid: s?.sid ?? -1, last: s?.view.last ?? -1, tomb, meta: isMeta(name) ? { maxCount: 1 } : (s?.view.meta ?? {}) };
  }
  #isTombstoned(name) {
    return this.#streams.get(name)?.tomb || (isMeta(name) && !!this.#streams.get(name.slice(2))?.tomb);
  }
  get end() {
    return this.#shownEnd;
  }
  get lastPos() {
    return this.#all.before(this.#shownEnd, 1)[0]?.pos ?? -1;
  }

  #setMeta(metaName, row) {
    const target = this.#make(metaName.slice(2));
    const meta = {};
    try {
      if (row.json && row.data.length) {
        const o = JSON.parse(Buffer.from(row.data).toString());
        for (const [k, name, min] of [
          ['$maxCount', 'maxCount', 1],
          ['$maxAge', 'maxAge', 1],
          ['$tb', 'tb', 0],
        ])
          if (k in o) {
            if (!Number.isInteger(o[k]) || o[k] < min) throw 0;
            meta[name] = o[k];
          }
      }
      target.meta = meta;
    } catch {
      target.meta = {};
    } // one bad value and the whole metadata counts as empty
  }
  #write(s, rev, e, tomb = 0) {
    const pos = this.#next;
    const post = pos + 80 + s.name.length * 2 + e.type.length * 2 + e.data.length + e.meta.length;
    const row = [pos, post, s.sid, rev, tomb, e.id, e.type, e.json, Date.now() * 1000, e.data, e.meta];
    this.#q.add.run(...row);
    this.#all.add({ pos, post, sid: s.sid, type: e.type });
    this.#written.push({ name: s.name, row });
    this.#next = post;
    if (tomb) {
      s.tomb = true;
      return pos;
    }
    s.last = rev;
    this.#recent.delete(e.id);
    this.#recent.set(e.id, { sid: s.sid, rev, pos });
    if (this.#recent.size > this.#maxRecent) this.#recent.delete(this.#recent.keys().next().value);
    if (isMeta(s.name)) this.#setMeta(s.name, e);
    return pos;
  }
  #softDeleted(s) {
    return s.meta.tb >= DELETED_TB;
  }

  /** the commit check: Ok, or a final answer (idempotent success, wrong version, deleted) */
  #check(name, expected, ids) {
    const s = this.#streams.get(name);
    const wrong = (cur) => ({ wrong: cur });
    if (this.#isTombstoned(name)) return { deleted: true };
    const cur = s?.last ?? -1;
    const soft = !!s && this.#softDeleted(s);
    const done = (rev) => {
      const e = this.#q.one.get(s.sid, rev);
      return { rev, pos: e.pos, idempotent: true };
    };
    if (expected === STREAM_EXISTS) {
      if (soft) return { deleted: true };
      if (cur < 0 && (this.#streams.get('$$' + name)?.last ?? -1) < 0) return wrong(cur);
    }
    if (expected === ANY || expected === STREAM_EXISTS) {
      let last = -1; // only the in-memory window of recent ids is consulted
      for (const [i, id] of ids.entries()) {
        const r = s && this.#recent.get(id);
        if (!r || r.sid !== s.sid) return i === 0 ? { ok: true, soft, cur } : wrong(cur);
        last = r.rev;
      }
      return last < 0 ? { ok: true, soft, cur } : done(last);
    }
    if (expected < cur) {
      // here the log itself is compared, restart or not
      let n = expected;
      for (const id of ids) {
        n++;
        if (this.#q.id.get(s.sid, n)?.id === id) continue;
        if (n === expected + 1 && expected === NO_STREAM && soft) return { ok: true, soft, cur };
        return wrong(cur);
      }
      return n === expected ? wrong(cur) : done(n);
    }
    return expected > cur ? wrong(cur) : { ok: true, soft, cur };
  }
  #append(name, expected, events) {
    const c = this.#check(
      name,
      expected,
      events.map((e) => e.id),
    );
    if (!c.ok) return c;
    if (!events.length) return { rev: c.cur, pos: this.#next };
    const s = this.#make(name);
    const origin = isMeta(name) ? this.#streams.get(name.slice(2)) : undefined;
    const reviveOrigin = origin && this.#softDeleted(origin);
    let pos;
    for (const [i, e] of events.entries()) pos = this.#write(s, c.cur + 1 + i, e);
    if (c.soft) this.#revive(s, c.cur + 1);
    if (reviveOrigin) this.#revive(origin, origin.last + 1);
    return { rev: s.last, pos };
  }
  #revive(s, tb) {
    // the server writes a new $metadata event, and keeps other keys
    const m = this.#make('$$' + s.name);
    let o;
    try {
      o = JSON.parse(Buffer.from(this.#q.one.get(m.sid, m.last).data).toString());
    } catch {
      return;
    }
    this.#write(m, m.last + 1, {
      id: randomUUID(),
      type: '$metadata',
      json: 1,
      data: Buffer.from(JSON.stringify({ ...o, $tb: tb })),
      meta: EMPTY,
    });
  }
  #delete(name, expected, hard) {
    const id = randomUUID();
    const c = this.#check(name, expected, [id]);
    if (!c.ok) return c;
    if (hard)
      return {
        pos: this.#write(this.#make(name), Number.MAX_SAFE_INTEGER, { id, type: '$streamDeleted', json: 0, data: EMPTY, meta: EMPTY }, 1),
      };
    const m = this.#streams.get('$$' + name);
    if (c.cur < 0 && (m?.last ?? -1) < 0) return { wrong: -1 };
    const ms = m ?? this.#make('$$' + name);
    return {
      pos: this.#write(ms, ms.last + 1, { id, type: '$metadata', json: 1, data: Buffer.from(`{"$tb":${TOMBSTONE}}`), meta: EMPTY }),
    };
  }

  /** all writes pass here, one at a time; waiting ones share one transaction */
  #submit(run) {
    return new Promise((resolve, reject) => {
      this.#queue.push({ run, resolve, reject });
      this.#flushSoon();
    });
  }
  #flushSoon() {
    if (this.#flushing || this.#queue.length === 0) return;
    this.#flushing = true;
    setImmediate(() => this.#flush());
  }
  async #flush() {
    const batch = this.#queue;
    this.#queue = [];
    this.#written = [];
    try {
      this.#db.exec('BEGIN IMMEDIATE');
      for (const w of batch) w.result = w.run();
      this.#db.exec('COMMIT');
    } catch (e) {
      for (const w of batch) w.reject(e);
      console.error(e);
      process.exit(70);
    } // memory and file may differ now
    await this.#replicate(this.#written);
    // Metadata of one stream is shown together with another.
    const names = this.#written.flatMap(({ name }) => (isMeta(name) ? [name, name.slice(2)] : [name]));
    this.#show(names.flatMap((name) => this.#streams.get(name) ?? []));
    this.#flushing = false;
    this.#flushSoon();
    for (const w of batch) w.resolve(w.result);
    for (const f of this.#wake) f();
  }
  append(name, expected, events) {
    return this.#submit(() => this.#append(name, expected, events));
  }
  remove(name, expected, hard) {
    return this.#submit(() => this.#delete(name, expected, hard));
  }
  onCommit(f) {
    this.#wake.add(f);
    return () => this.#wake.delete(f);
  }

  /** lowest revision readers may see ($maxCount, $tb), and the oldest time ($maxAge) */
  static bounds({ last, meta }) {
    return {
      min: Math.max(0, meta.maxCount ? last - meta.maxCount + 1 : 0, meta.tb ?? 0),
      since: meta.maxAge ? (Date.now() - meta.maxAge * 1000) * 1000 : 0,
    };
  }
  readStream(sid, from, to, n) {
    return this.#q.fwd.all(sid, from, to, n);
  }
  readStreamBack(sid, from, to, n) {
    return this.#q.bwd.all(sid, from, to, n);
  }
  readOne(name, rev) {
    const s = this.#streams.get(name);
    return s && this.#q.one.get(s.sid, rev);
  }
  headsFrom(pos, n) {
    return this.#all.from(pos, this.#shownEnd, n);
  }
  headsBefore(pos, n) {
    return this.#all.before(Math.min(pos, this.#shownEnd), n);
  }
  /** The event at a position. */
  rowAt(pos) {
    return this.#q.at.get(pos);
  }
  validPosition(c) {
    return c === 0 || c >= this.#shownEnd || this.#all.has(c);
  }
  close() {
    this.#db.close();
  }
}
