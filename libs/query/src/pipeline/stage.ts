/**
 * One step of a search: a value. `Needs`: what the state must contain before it. `Adds`: what it adds to the state, or replaces in it.
 * A stage never changes the state; it returns its part. What else it uses (a model, keys) is given to the function that creates it.
 */
export type Stage<Needs, Adds> = Readonly<{
  /** Shown in timings, in explanations and in retrieval records. */
  name: string;
  run: (state: Needs, context: StageContext) => Promise<Adds> | Adds;
  /** Number of candidates, models or scopes in its result, for the timings. */
  count: (added: Adds) => number;
  /** For a stage that not every search needs: when it does not run (and is not timed), and what is added instead. */
  unless?: Readonly<{ holds: (state: Needs) => boolean; add: (state: Needs) => Adds }>;
  /** `run` may take `ms` milliseconds. Without `otherwise`, the search fails after them. */
  budget?: Readonly<{ ms: number }>;
  /**
   * For a stage that a search can do without: what is added instead when it is skipped, because it exceeds its budget, or because what it
   * depends on is unavailable or overloaded. `reason`: for callers. Any other error fails the search.
   */
  otherwise?: (state: Needs, reason: string) => Adds;
}>;

export type StageContext = Readonly<{
  /** Aborts when the budget is exceeded. A stage without a budget gets none. */
  signal?: AbortSignal;
  /** For a stage that computes for long: lets other requests go on. */
  othersTurn: () => Promise<void>;
  /** The stages skipped so far, with the reason. */
  skipped: Readonly<Record<string, string>>;
}>;
