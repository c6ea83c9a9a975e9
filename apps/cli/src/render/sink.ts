/** The output of a command: anything like process.stdout. */
export type Sink = { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
