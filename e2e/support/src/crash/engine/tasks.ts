/** The tasks of the engine, one line of JSON each; the response contains the same `id`. */
export type Task = Readonly<
  { id: number } & (
    | { do: 'submit'; sourceId: string; text: string; knowledgeBase: string; labels: Readonly<Record<string, string>> }
    | { do: 'remove' | 'retry'; documentId: string }
    | { do: 'create base'; base: string; scope: string }
    | { do: 'archive base'; base: string }
    | { do: 'issue key'; name: string }
    | { do: 'revoke key'; keyId: string }
    | { do: 'rebuild' | 'settle' | 'look' | 'stop' }
  )
>;

export type TaskAnswer = Readonly<{ id: number } & ({ done: unknown } | { refused: string })>;

/** The first line of the engine: everything is open, and the read models have caught up. */
export const READY = 'ready';
