import { filterOf } from './outgoing.mjs';
import { fail, status } from './protocol.mjs';
import { readAll, readStream } from './reads.mjs';
import { subscribeAll, subscribeStream } from './subscriptions.mjs';

/** The Read call: reads and subscriptions, of a stream or of $all. */
export async function read(log, call, version) {
  const o = call.request.getOptions();
  if (!o?.hasUuidOption()) throw fail(status.INVALID_ARGUMENT, ' `uuidOption` is a required argument');
  const opt = { resolve: o.getResolveLinks(), asString: o.getUuidOption().hasString(), version };
  const f = o.hasFilter() ? o.getFilter() : undefined;
  if (
    (f && o.hasStream()) ||
    !(o.hasFilter() || o.hasNoFilter()) ||
    !(o.hasCount() || o.hasSubscription()) ||
    (o.hasSubscription() && o.getReadDirection() === 1)
  )
    throw fail(status.INVALID_ARGUMENT, 'The combination is invalid.');
  const filter = f && filterOf(log, f);
  if (o.hasSubscription()) return o.hasAll() ? subscribeAll(log, call, o, opt, filter, f) : subscribeStream(log, call, o, opt);
  return o.hasAll() ? readAll(log, call, o, opt, filter) : readStream(log, call, o, opt);
}
