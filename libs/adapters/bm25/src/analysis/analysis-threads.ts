import { AnalysisThread } from './analysis-thread.ts';

/** The analysis thread that several users share. It is started for the first user and ends with the last one. */
export class AnalysisThreads {
  readonly #start: () => AnalysisThread;
  readonly #users = new Set<object>();
  #thread: AnalysisThread | undefined;

  constructor(start: () => AnalysisThread = () => new AnalysisThread()) {
    this.#start = start;
  }

  /** Starts another thread if the current one died. */
  for(user: object): AnalysisThread {
    this.#users.add(user);
    if (this.#thread === undefined || this.#thread.isGone) this.#thread = this.#start();
    return this.#thread;
  }

  async leave(user: object): Promise<void> {
    if (!this.#users.delete(user) || this.#users.size > 0) return;
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.close();
  }
}
