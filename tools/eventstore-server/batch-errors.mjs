import { Any, ANY, GEmpty, ident, NO_STREAM, shared, Status, STREAM_EXISTS } from './protocol.mjs';

const rpcStatus = (code, message, typeName, detail) => {
  const s = new Status(),
    any = new Any();
  any.pack(detail.serializeBinary(), typeName);
  s.setCode(code);
  s.setMessage(message);
  s.setDetails(any);
  return s;
};

/** An error without details other than its name. */
const plain = (code, name, Detail) => rpcStatus(code, name, `event_store.client.${name}`, new Detail());
const NO_DETAILS = 'google.protobuf.Empty';

/** The errors of BatchAppend, which replace a gRPC status. */
export const batchErrors = {
  wrong: (expected, cur) => {
    const w = new shared.WrongExpectedVersion();
    if (cur < 0) w.setCurrentNoStream(new GEmpty());
    else w.setCurrentStreamRevision(String(cur));
    if (expected === ANY) w.setExpectedAny(new GEmpty());
    else if (expected === NO_STREAM) w.setExpectedNoStream(new GEmpty());
    else if (expected === STREAM_EXISTS) w.setExpectedStreamExists(new GEmpty());
    else w.setExpectedStreamPosition(String(expected));
    return rpcStatus(6, 'WrongExpectedVersion', 'event_store.client.WrongExpectedVersion', w);
  },
  deleted: (name) => {
    const d = new shared.StreamDeleted();
    d.setStreamIdentifier(ident(name));
    return rpcStatus(5, 'StreamDeleted', 'event_store.client.StreamDeleted', d);
  },
  size: (max) => {
    const d = new shared.MaximumAppendSizeExceeded();
    d.setMaxappendsize(max);
    return rpcStatus(3, 'MaximumAppendSizeExceeded', 'event_store.client.MaximumAppendSizeExceeded', d);
  },
  timeout: () => plain(4, 'Timeout', shared.Timeout),
  denied: () => plain(7, 'AccessDenied', shared.AccessDenied),
  unknown: () => plain(2, 'Unknown', shared.Unknown),
  invalidTransaction: () => plain(9, 'InvalidTransaction', shared.InvalidTransaction),
  /** Version 25. The client 6.2.1 has no class for it, so its bytes are written here: fields 2 and 3, both one byte. */
  eventSize: () =>
    rpcStatus(3, 'MaximumAppendEventSizeExceeded', 'event_store.client.MaximumAppendEventSizeExceeded', {
      serializeBinary: () => Uint8Array.of(2 << 3, 9, 3 << 3, 8),
    }),
  /** The server did not handle the append: the code stays unset. */
  notHandled: (message) => rpcStatus(0, message, NO_DETAILS, new GEmpty()),
  internal: (message) => rpcStatus(13, message, NO_DETAILS, new GEmpty()),
  unheardOf: () => plain(2, 'SomethingNew', shared.Unknown),
  bad: (message) => {
    const d = new shared.BadRequest();
    d.setMessage(message);
    return rpcStatus(3, 'BadRequest', 'event_store.client.BadRequest', d);
  },
};

const SERVER_MAX = 1024 * 1024;

/** The answers that a test may request, by name: all of versions 23.10 and 25.0, and one of no version. */
export const ANSWERS = {
  'not-ready': () => batchErrors.notHandled('Server Is Not Ready'),
  busy: () => batchErrors.notHandled('Server Is Busy'),
  'no-leader': () => batchErrors.notHandled('No leader info available in response'),
  'unknown-reason': () => batchErrors.notHandled('Unknown NotHandledReason (7)'),
  timeout: batchErrors.timeout,
  unknown: batchErrors.unknown,
  internal: () => batchErrors.internal('Envelope callback expected something else.'),
  'unheard-of': batchErrors.unheardOf,
  'access-denied': batchErrors.denied,
  'stream-deleted': () => batchErrors.deleted('some-stream'),
  'bad-request': () => batchErrors.bad('Required field StreamIdentifier not set.'),
  'invalid-transaction': batchErrors.invalidTransaction,
  'append-too-large': () => batchErrors.size(SERVER_MAX),
  'event-too-large': batchErrors.eventSize,
};
