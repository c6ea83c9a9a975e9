import { fail, status, streamDeleted } from './protocol.mjs';

const unknown = (details) => fail(status.UNKNOWN, details);

/** The statuses in which a test may let reads, subscriptions and calls for batch appends end, by name; as in versions 23.10 and 25.0. */
export const STATUSES = {
  'not-ready': () => fail(status.UNAVAILABLE, 'Server Is Not Ready'),
  busy: () => fail(status.UNAVAILABLE, 'Server Is Too Busy'),
  'no-leader': () => unknown('No leader info available in response'),
  timeout: () => fail(status.ABORTED, 'Operation timed out: Failed to read events from $all'),
  'unknown-message': () => unknown('Envelope callback expected either ReadAllEventsForwardCompleted or NotHandled, received X instead'),
  'unknown-result': () => unknown('Unexpected FilteredReadAllResult: Error'),
  handler: () => unknown('Exception was thrown by handler.'),
  internal: () => fail(status.INTERNAL, 'Internal'),
  'unheard-of': () => fail(status.DATA_LOSS, 'something new'),
  'stream-deleted': () => streamDeleted('some-stream'),
  'access-denied': () => fail(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' }),
  unauthenticated: () => fail(status.UNAUTHENTICATED, 'Authentication failed'),
  'invalid-argument': () => fail(status.INVALID_ARGUMENT, "'None' is not a valid filter"),
  /** Without an error, as a read ends. */
  ended: () => fail(status.OK, ''),
  unimplemented: () => fail(status.UNIMPLEMENTED, 'Method is unimplemented.'),
};
