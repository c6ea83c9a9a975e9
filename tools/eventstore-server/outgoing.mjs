import { fail, status } from './protocol.mjs';

/** The filter of a read or subscription, as a predicate on streams and types of events. */
export function filterOf(log, f) {
  const onStream = f.hasStreamIdentifier();
  const x = onStream ? f.getStreamIdentifier() : f.getEventType();
  if (!x || !(f.hasMax() || f.hasCount())) throw fail(status.INVALID_ARGUMENT, "'None' is not a valid filter");
  const re = x.getRegex() ? new RegExp(x.getRegex(), 'u') : undefined; // .NET regex there, ECMAScript here
  const prefixes = x.getPrefixList();
  return ({ sid, type }) => {
    const v = onStream ? log.nameOf(sid) : type;
    return re ? re.test(v) : prefixes.some((p) => v.startsWith(p));
  };
}

/** writes with backpressure; false once the call is gone */
export function writer(call) {
  let gone = false,
    wake = () => {};
  const end = () => {
    gone = true;
    wake();
  };
  call.on('cancelled', end);
  call.on('close', end);
  call.on('error', end);
  call.on('drain', () => wake());
  return {
    get gone() {
      return gone || call.cancelled;
    },
    async write(m) {
      if (gone || call.cancelled) return false;
      if (!call.write(m))
        await new Promise((r) => {
          wake = r;
        });
      return !gone;
    },
    /** sleeps until a commit or the end of the call */
    sleep(log) {
      return new Promise((r) => {
        const off = log.onCommit(() => {
          off();
          r();
        });
        wake = () => {
          off();
          r();
        };
        if (gone) wake();
      });
    },
  };
}
