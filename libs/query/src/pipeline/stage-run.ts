import { nextTurn, SYSTEM, type Cancel, type Scheduler, type System } from '@palimpsest/foundation';
import { Overloaded, Unavailable } from '@palimpsest/knowledge/errors';
import type { Stage, StageContext } from './stage.ts';

/** `note`: why the stage was skipped. */
export type StageTiming = Readonly<{ stage: string; ms: number; candidates: number; note?: string }>;
/** Why, in a word for metrics. */
export type SkipReason = 'over-budget' | 'unavailable';
export type Timings = Readonly<{ totalMs: number; stages: readonly StageTiming[] }>;

/** Runs the stages of one search within their budgets, and measures them. Parallel stages each report their own time. */
export class StageRun {
  readonly #timings: StageTiming[] = [];
  readonly #system: Pick<System, 'clock' | 'scheduler'>;
  readonly #started: number;
  readonly #skipped: Record<string, string> = {};
  readonly #reasons: Record<string, SkipReason> = {};

  constructor(system: Pick<System, 'clock' | 'scheduler'> = SYSTEM) {
    this.#system = system;
    this.#started = system.clock.elapsed();
  }

  /** Runs a stage and returns what it adds. @throws Unavailable when it exceeds its budget and must not be skipped; what it throws */
  async stage<Needs, Adds>(stage: Stage<Needs, Adds>, state: Needs): Promise<Adds> {
    const { unless, budget, otherwise } = stage;
    if (unless?.holds(state) === true) return unless.add(state);
    const started = this.#system.clock.elapsed();
    try {
      const outcome = await this.#outcome(stage, state);
      if (outcome !== 'exceeded') return this.#measured(stage, started, outcome);
    } catch (error) {
      const reason = reasonToSkip(error);
      if (otherwise === undefined || reason === undefined) throw error;
      this.#reasons[stage.name] = 'unavailable';
      return this.#skip(stage, started, reason, otherwise(state, reason));
    }
    const reason = `took longer than ${budget?.ms} ms`;
    if (otherwise === undefined) throw new Unavailable(`the stage "${stage.name}" of the search ${reason}`, { forCallers: true });
    this.#reasons[stage.name] = 'over-budget';
    return this.#skip(stage, started, reason, otherwise(state, reason));
  }

  #outcome<Needs, Adds>({ run, budget }: Stage<Needs, Adds>, state: Needs): Promise<Completed<Adds> | 'exceeded'> {
    const work = async (given: StageContext): Promise<Adds> => run(state, given);
    const { scheduler } = this.#system;
    const context = { skipped: this.#skipped, othersTurn: () => nextTurn(scheduler) };
    return budget === undefined ? completed(work(context)) : within(budget.ms, (signal) => work({ ...context, signal }), scheduler);
  }

  #skip<Needs, Adds>(stage: Stage<Needs, Adds>, started: number, reason: string, result: Adds): Adds {
    this.#skipped[stage.name] = reason;
    return this.#measured(stage, started, { result }, `skipped: ${reason}`);
  }

  timings(): Timings {
    return { totalMs: rounded(this.#system.clock.elapsed() - this.#started), stages: this.#timings };
  }

  /** The stages that were skipped, by name. */
  skipped(): Readonly<Record<string, SkipReason>> {
    return this.#reasons;
  }

  #measured<Needs, Adds>({ name, count }: Stage<Needs, Adds>, started: number, { result }: Completed<Adds>, note?: string): Adds {
    this.#timings.push({
      stage: name,
      ms: rounded(this.#system.clock.elapsed() - started),
      candidates: count(result),
      ...(note === undefined ? {} : { note }),
    });
    return result;
  }
}

/** In words for callers; undefined for an error that is no outage. */
const reasonToSkip = (error: unknown): string | undefined => {
  if (error instanceof Overloaded) return error.message;
  if (error instanceof Unavailable) return error.forCallers ? error.message : 'what it depends on is not available';
  return undefined;
};

type Completed<T> = Readonly<{ result: T }>;

const completed = <T>(work: Promise<T>): Promise<Completed<T>> => work.then((result) => ({ result }));

/** The result of `work`, unless it takes longer than `ms` milliseconds: then the signal aborts, and the result is ignored. */
const within = async <T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  scheduler: Scheduler,
): Promise<Completed<T> | 'exceeded'> => {
  const controller = new AbortController();
  let cancel: Cancel | undefined;
  const exceeded = new Promise<'exceeded'>((resolve) => {
    cancel = scheduler.after(ms, () => {
      resolve('exceeded');
      controller.abort();
    });
  });
  try {
    return await Promise.race([completed(work(controller.signal)), exceeded]);
  } finally {
    cancel?.();
  }
};

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
