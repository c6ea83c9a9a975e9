/** The server did not handle the append, and nothing was written: it is electing a leader, starting, or overloaded. */
export class NotWritten extends Error {}

/** The answer of the server does not say whether the events were written. */
export class OutcomeUnknown extends Error {}
