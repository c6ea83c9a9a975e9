import {
  ANY,
  empty,
  expectedOf,
  fail,
  GEmpty,
  NO_STREAM,
  parseId,
  proposed,
  S,
  shared,
  sizeOf,
  status,
  str,
  STREAM_EXISTS,
  streamDeleted,
  tooBig,
  wrongVersion,
  EMPTY,
  ident,
} from './protocol.mjs';
import { batchErrors as err } from './batch-errors.mjs';

/** The single Append call. `store` is the log's append, with the requested faults. */
export async function append(store, call, max) {
  let head,
    size = 0;
  const events = [];
  for await (const m of call) {
    if (!head) {
      head = m.getOptions();
      if (!head) throw fail(status.UNKNOWN, 'Exception was thrown by handler.');
      continue;
    }
    const e = proposed(m.getProposedMessage());
    if ((size += sizeOf(e)) > max) throw tooBig(max);
    events.push(e);
  }
  const name = str(head.getStreamIdentifier().getStreamName_asU8());
  const expected = expectedOf(head, (x) => (x.hasRevision() ? Number(x.getRevision()) : undefined));
  const r = await store(call, name, expected, events);
  if (r.error) throw fail(status.UNAVAILABLE, r.error.getMessage());
  if (r.deleted) throw streamDeleted(name);
  const out = new S.AppendResp();
  if (r.wrong !== undefined) {
    const w = new S.AppendResp.WrongExpectedVersion();
    if (expected === ANY) w.setExpectedAny(empty());
    else if (expected === NO_STREAM) w.setExpectedNoStream(empty());
    else if (expected === STREAM_EXISTS) w.setExpectedStreamExists(empty());
    else w.setExpectedRevision(String(expected));
    if (r.wrong < 0) w.setCurrentNoStream(empty());
    else w.setCurrentRevision(String(r.wrong));
    out.setWrongExpectedVersion(w);
  } else {
    const ok = new S.AppendResp.Success(),
      p = new S.AppendResp.Position();
    if (r.rev < 0) ok.setNoStream(empty());
    else ok.setCurrentRevision(String(r.rev));
    p.setCommitPosition(String(r.pos));
    p.setPreparePosition(String(r.pos));
    ok.setPosition(p);
    out.setSuccess(ok);
  }
  return out;
}

/** BatchAppend: many appends on one stream of messages, each answered with its correlation id when it is stored. */
export function batchAppend(store, call, max) {
  const pending = new Map();
  let running = 0,
    ended = false;
  const finish = () => {
    if (ended && running === 0) call.end();
  };
  const reply = (correlation, name, set) => {
    const r = new S.BatchAppendResp();
    r.setCorrelationId(correlation);
    r.setStreamIdentifier(ident(name));
    set(r);
    if (!call.cancelled) call.write(r);
  };
  call.on('data', async (m) => {
    const correlation = m.getCorrelationId(),
      id = parseId(correlation);
    let w = pending.get(id);
    try {
      const o = m.getOptions();
      if (o && !w) {
        const name = str(o.getStreamIdentifier()?.getStreamName_asU8() ?? EMPTY);
        const expected = expectedOf(o, (x) => (x.hasStreamPosition() ? Number(x.getStreamPosition()) : undefined));
        const until = o.getDeadline()?.toDate().getTime() ?? Infinity; // field 6; newer clients may send field 7, ignored
        if (!name || name === '$$') return reply(correlation, name, (r) => r.setError(err.bad('Required field StreamIdentifier not set.')));
        if (until <= Date.now()) return reply(correlation, name, (r) => r.setError(err.timeout()));
        pending.set(id, (w = { name, expected, events: [], size: 0 }));
      }
      if (!w) return; // already refused
      for (const p of m.getProposedMessagesList()) {
        const e = proposed(p);
        w.size += sizeOf(e);
        w.events.push(e);
      }
      if (w.size > max) {
        pending.delete(id);
        return reply(correlation, w.name, (r) => r.setError(err.size(max)));
      }
      if (!m.getIsFinal()) return;
      pending.delete(id);
    } catch (e) {
      pending.delete(id);
      return reply(correlation, w?.name ?? '', (r) => r.setError(err.bad(e.message)));
    }
    running++;
    try {
      const a = await store(call, w.name, w.expected, w.events);
      reply(correlation, w.name, (r) => {
        if (a.error) return r.setError(a.error);
        if (a.deleted) return r.setError(err.deleted(w.name));
        if (a.wrong !== undefined) return r.setError(err.wrong(w.expected, a.wrong));
        const ok = new S.BatchAppendResp.Success(),
          p = new shared.AllStreamPosition();
        if (a.rev < 0) ok.setNoStream(new GEmpty());
        else ok.setCurrentRevision(String(a.rev));
        p.setCommitPosition(String(a.pos));
        p.setPreparePosition(String(a.pos));
        ok.setPosition(p);
        r.setSuccess(ok);
      });
    } catch (e) {
      call.emit('error', e);
    } finally {
      running--;
      finish();
    }
  });
  call.on('end', () => {
    ended = true;
    finish();
  });
  call.on('error', () => {});
}

/** Delete (soft) and Tombstone (permanent). */
export async function remove(log, call, hard) {
  const o = call.request.getOptions(),
    name = str(o.getStreamIdentifier().getStreamName_asU8());
  const expected = expectedOf(o, (x) => (x.hasRevision() ? Number(x.getRevision()) : undefined));
  const r = await log.remove(name, expected, hard);
  if (r.deleted) throw streamDeleted(name);
  if (r.wrong !== undefined) throw wrongVersion('Delete', name, expected, r.wrong);
  const Resp = hard ? S.TombstoneResp : S.DeleteResp,
    out = new Resp(),
    p = new Resp.Position();
  p.setCommitPosition(String(r.pos));
  p.setPreparePosition(String(r.pos));
  out.setPosition(p);
  return out;
}
