import { setImmediate as turn } from 'node:timers/promises';
import { EventLog } from './event-log.mjs';
import { writer } from './outgoing.mjs';
import { DELETED_TB, fail, invalidPosition, S, status, str, streamDeleted } from './protocol.mjs';
import { eventResp, notFound } from './responses.mjs';

const resp = (set) => {
  const r = new S.ReadResp();
  set(r);
  return r;
};

export async function readStream(log, call, o, opt) {
  const out = writer(call);
  const so = o.getStream(),
    name = str(so.getStreamIdentifier().getStreamName_asU8());
  const back = o.getReadDirection() === 1,
    compat = o.getControlOption?.()?.getCompatibility() ?? 0;
  let left = Number(o.getCount());
  const error = () => fail(status.UNKNOWN, 'Unexpected ReadStreamResult: Error');
  if (left === 0 || !name) throw error();
  const s = log.stream(name);
  if (s.tomb) throw streamDeleted(name);
  if (s.last < 0 || s.meta.tb >= DELETED_TB) {
    await out.write(notFound(name));
    return;
  }
  const { min, since } = EventLog.bounds(s);
  if (!back) {
    if (so.hasEnd()) throw error(); // forwards from the end is refused, not empty
    let from = so.hasStart() ? 0 : Number(so.getRevision());
    if (compat >= 1 && from > s.last) await out.write(resp((r) => r.setFirstStreamPosition(String(s.last + 1))));
    from = Math.max(from, min);
    while (left > 0 && from <= s.last) {
      const rows = log.readStream(s.sid, from, s.last, Math.min(256, left));
      for (const row of rows) {
        from = row.rev + 1;
        if (row.created < since) continue;
        if (!(await out.write(eventResp(log, row, opt)))) return;
        if (--left === 0) break;
      }
      if (!rows.length) break;
    }
  } else {
    let from = so.hasEnd() ? s.last : so.hasStart() ? 0 : Math.min(Number(so.getRevision()), s.last);
    while (left > 0 && from >= min) {
      const rows = log.readStreamBack(s.sid, from, min, Math.min(256, left));
      for (const row of rows) {
        from = row.rev - 1;
        if (row.created < since) continue;
        if (!(await out.write(eventResp(log, row, opt)))) return;
        if (--left === 0) break;
      }
      if (!rows.length) break;
    }
  }
  if (compat >= 1) await out.write(resp((r) => r.setLastStreamPosition(String(s.last))));
}

/** undefined for start, {c, p} otherwise */
export function positionOf(a) {
  if (a.hasStart()) return undefined;
  if (a.hasEnd()) return 'end';
  const c = Number(a.getPosition().getCommitPosition()),
    p = Number(a.getPosition().getPreparePosition());
  if (c < p) throw fail(status.UNKNOWN, 'Exception was thrown by handler. The commit position cannot be less than the prepare position');
  return { c, p };
}

export async function readAll(log, call, o, opt, filter) {
  const out = writer(call);
  let left = Number(o.getCount());
  const at = positionOf(o.getAll());
  const bad = () => invalidPosition(opt.version, filter !== undefined);
  if (left === 0) throw fail(status.UNKNOWN, 'Unexpected ReadAllResult: Error');
  if (o.getReadDirection() === 0) {
    // forwards: includes the event at the position
    const end = log.end;
    let from = at === undefined ? 0 : at === 'end' ? end : at.c;
    if (at?.c !== undefined && !log.validPosition(at.c)) throw bad();
    while (left > 0 && from < end) {
      if (filter) await turn(); // a long scan without a match must not block the others
      const heads = log.headsFrom(from, 256);
      if (!heads.length) return;
      for (const head of heads) {
        if (head.pos >= end) return;
        from = head.post;
        if (filter && !filter(head)) continue;
        if (!(await out.write(eventResp(log, log.rowAt(head.pos), opt)))) return;
        if (--left === 0) return;
      }
    }
  } else {
    // backwards: excludes the event at the position
    if (at === undefined) return;
    let before = at === 'end' ? log.end : at.c;
    if (at?.c !== undefined && !log.validPosition(at.c)) throw bad();
    if (at?.c !== undefined && at.c > log.end) throw bad();
    while (left > 0) {
      if (filter) await turn();
      const heads = log.headsBefore(before, 256);
      if (!heads.length) return;
      for (const head of heads) {
        before = head.pos;
        if (filter && !filter(head)) continue;
        if (!(await out.write(eventResp(log, log.rowAt(head.pos), opt)))) return;
        if (--left === 0) return;
      }
    }
  }
}
