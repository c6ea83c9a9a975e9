/** The server did not handle the append: nothing was written. It is electing a leader, starting, or overloaded. */
export class NotWritten extends Error {}

/** The server answered, and the answer does not say whether the events were written. */
export class OutcomeUnknown extends Error {}
