import { setImmediate as turn } from 'node:timers/promises';
import { EventLog } from './event-log.mjs';
import { writer } from './outgoing.mjs';
import { DELETED_TB, fail, invalidPosition, PAGE, status, str, streamDeleted } from './protocol.mjs';
import { positionOf } from './reads.mjs';
import { caughtUp, checkpointResp, confirmation, eventResp } from './responses.mjs';

const lt = (a, b) => a.c < b.c || (a.c === b.c && a.p < b.p); // positions are (commit, prepare) pairs

export async function subscribeStream(log, call, o, opt) {
  const out = writer(call);
  const so = o.getStream(),
    name = str(so.getStreamIdentifier().getStreamName_asU8());
  let next = so.hasStart() ? 0 : so.hasEnd() ? log.stream(name).last + 1 : Number(so.getRevision()) + 1; // after, not from
  await out.write(confirmation());
  let live = false;
  while (!out.gone) {
    const s = log.stream(name);
    if (s.tomb) {
      const row = live && log.readOne(name, Number.MAX_SAFE_INTEGER);
      if (row) await out.write(eventResp(log, row, opt)); // seen live, the $streamDeleted event comes first
      throw streamDeleted(name);
    }
    const behind = s.last - next + 1;
    if (behind > 0 && !(s.meta.tb >= DELETED_TB && !live)) {
      if (live && behind > PAGE) live = false; // fell behind: catches up, then reports it again
      const { min, since } = live ? { min: 0, since: 0 } : EventLog.bounds(s);
      next = Math.max(next, min);
      for (const row of log.readStream(s.sid, next, s.last, 256)) {
        next = row.rev + 1;
        if (row.created < since) continue;
        if (!(await out.write(eventResp(log, row, opt)))) return;
      }
      if (next <= s.last) continue;
    } else next = Math.max(next, live ? 0 : Math.min(next, s.last + 1));
    if (!live) {
      live = true;
      if (!(await out.write(caughtUp()))) return;
      continue;
    }
    if (log.stream(name).last < next && !log.stream(name).tomb) await out.sleep(log);
  }
}

export async function subscribeAll(log, call, o, opt, filter, f) {
  const out = writer(call);
  const at = positionOf(o.getAll());
  const window = f ? (f.hasMax() ? f.getMax() : PAGE) : PAGE;
  if (f && f.getCheckpointintervalmultiplier() === 0)
    throw fail(status.UNKNOWN, 'Exception was thrown by handler. checkpointIntervalMultiplier must be non-zero');
  const interval = f ? f.getCheckpointintervalmultiplier() * window : Infinity;
  await out.write(confirmation());
  const last = log.lastPos;
  const start = { c: -1, p: -1 };
  let done = at === undefined ? start : at === 'end' ? { c: last, p: last } : at; // last thing sent; only later events follow
  let sentCheckpoint = start;
  const checkpoint = async (k) => {
    if (!lt(sentCheckpoint, k) || k.c < 0) return true; // never the same or an older one again
    sentCheckpoint = k;
    return out.write(checkpointResp(k));
  };
  let live = !lt(done, { c: last, p: last });
  let scan = done.p < done.c ? done.c : done.c + 1; // first byte to read
  if (!live && at?.c !== undefined && !log.validPosition(at.c)) throw invalidPosition(opt.version, filter !== undefined);
  if (live && !(await out.write(caughtUp()))) return;
  let counter = 0,
    liveCounter = 0;
  let page = done === start ? { c: 0, p: 0 } : done; // start of the current page
  while (!out.gone) {
    if (!live) {
      // pages of at most `window` considered events
      await turn(); // a long catch-up must not block the others
      const size = Math.min(window, 4096),
        heads = log.headsFrom(Math.max(scan, 0), size),
        eof = heads.length < size;
      for (const head of heads) {
        scan = head.post;
        if (filter && !filter(head)) continue;
        if (!(await out.write(eventResp(log, log.rowAt(head.pos), opt)))) return;
        done = { c: head.pos, p: head.pos };
      }
      counter += heads.length;
      if (filter && (eof || counter >= interval)) {
        // a checkpoint: the later of page begin and last event sent
        counter %= interval;
        if (lt(done, page)) done = page;
        if (!(await checkpoint(done))) return;
      }
      if (heads.length) page = { c: scan, p: 0 }; // so its prepare part may be 0
      if (eof) {
        live = true;
        liveCounter = 0;
        if (!(await out.write(caughtUp()))) return;
      }
      continue;
    }
    const heads = log.headsFrom(Math.max(scan, 0), PAGE + 1);
    if (!heads.length) {
      await out.sleep(log);
      continue;
    }
    if (heads.length > PAGE) {
      // more than the live buffer holds: falls behind
      live = false;
      page = done;
      if (filter && !(await checkpoint(done))) return;
      continue;
    }
    for (const head of heads) {
      scan = head.post;
      const here = { c: head.pos, p: head.pos };
      if (!lt(done, here)) continue;
      if (!filter || filter(head)) {
        if (!(await out.write(eventResp(log, log.rowAt(head.pos), opt)))) return;
        done = here;
      }
      if (filter && ++liveCounter >= interval) {
        liveCounter = 0;
        done = here;
        if (!(await checkpoint(here))) return;
      }
    }
  }
}
