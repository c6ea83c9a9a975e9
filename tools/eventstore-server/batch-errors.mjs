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

/** What BatchAppend answers instead of a gRPC status. */
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
  timeout: () => rpcStatus(4, 'Timeout', 'event_store.client.Timeout', new shared.Timeout()),
  bad: (message) => {
    const d = new shared.BadRequest();
    d.setMessage(message);
    return rpcStatus(3, 'BadRequest', 'event_store.client.BadRequest', d);
  },
};
