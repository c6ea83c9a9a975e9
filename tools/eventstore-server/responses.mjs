import { randomUUID } from 'node:crypto';
import { EMPTY, ident, makeId, S, str } from './protocol.mjs';

/** The messages of reads and subscriptions. */

// ReadResp{event} is written by hand, since it is the only hot message
const varint = (n) => {
  const b = [];
  while (n > 127) {
    b.push((n % 128) | 128);
    n = Math.floor(n / 128);
  }
  b.push(n);
  return Buffer.from(b);
};
const V = (field, n) => (n === 0 ? EMPTY : Buffer.concat([varint(field << 3), varint(n)]));
const B = (field, ...parts) => {
  let n = 0;
  for (const p of parts) n += p.length;
  return [varint((field << 3) | 2), varint(n), ...parts];
};
const cache = new Map(); // names and types repeat
const text = (s) => {
  let b = cache.get(s);
  if (!b) {
    if (cache.size > 20_000) cache.clear();
    cache.set(s, (b = Buffer.from(s)));
  }
  return b;
};
const TOMBSTONE_REV = Buffer.from([3 << 3, 255, 255, 255, 255, 255, 255, 255, 255, 127]);
const entry = (k, v) => B(6, ...B(1, text(k)), ...B(2, v));
function recorded(log, r, asString) {
  return [
    ...B(1, asString ? Buffer.concat(B(2, Buffer.from(r.id))) : Buffer.from(makeId(r.id, false).serializeBinary())),
    ...B(2, ...B(3, text(log.nameOf(r.sid)))),
    r.tomb ? TOMBSTONE_REV : V(3, r.rev),
    V(4, r.pos),
    V(5, r.pos),
    ...entry('type', text(r.type)),
    ...entry('created', Buffer.from(r.created + '0')),
    ...entry('content-type', text(r.json ? 'application/json' : 'application/octet-stream')),
    ...(r.meta.length ? B(7, r.meta) : []),
    ...(r.data.length ? B(8, r.data) : []),
  ];
}
export function eventResp(log, row, { resolve, asString }) {
  let body;
  if (resolve && row.type === '$>') {
    const at = str(row.data).indexOf('@');
    const target = at > 0 && log.readOne(str(row.data).slice(at + 1), Number(str(row.data).slice(0, at)));
    body = [...(target ? B(1, ...recorded(log, target, asString)) : []), ...B(2, ...recorded(log, row, asString))];
  } else body = B(1, ...recorded(log, row, asString));
  return Buffer.concat(B(1, ...body, varint(3 << 3), varint(row.pos)));
}
const resp = (set) => {
  const r = new S.ReadResp();
  set(r);
  return r;
};
export const confirmation = () =>
  resp((r) => {
    const c = new S.ReadResp.SubscriptionConfirmation();
    c.setSubscriptionId(randomUUID());
    r.setConfirmation(c);
  });
export const caughtUp = () => resp((r) => r.setCaughtUp(new S.ReadResp.CaughtUp()));
export const checkpointResp = ({ c, p }) =>
  resp((r) => {
    const k = new S.ReadResp.Checkpoint();
    k.setCommitPosition(String(c));
    k.setPreparePosition(String(p));
    r.setCheckpoint(k);
  });
export const notFound = (name) =>
  resp((r) => {
    const n = new S.ReadResp.StreamNotFound();
    n.setStreamIdentifier(ident(name));
    r.setStreamNotFound(n);
  });
