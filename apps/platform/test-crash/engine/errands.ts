/** What the engine is asked to do, a line of JSON each; `id` comes back with the answer. */
export type Errand = Readonly<
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

export type ErrandAnswer = Readonly<{ id: number } & ({ done: unknown } | { refused: string })>;

/** Said before anything was asked: everything is open, and the read models have caught up. */
export const READY = 'ready';
