import type { Ids } from '@palimpsest/foundation';
import { Conflict, KnowledgeError, Unavailable } from '@palimpsest/knowledge/errors';
import { scopeKey, type TenantId, type TenantScope } from '@palimpsest/knowledge/values';

/** An evaluation of a scope, from its start until another one replaces it. `queries`: missing until the queries are drawn. */
export type EvaluationRunStatus = Readonly<{
  run: string;
  state: 'evaluating' | 'complete' | 'failed';
  by: 'person' | 'platform';
  startedAt: string;
  queries?: Readonly<{ done: number; total: number }>;
  endedAt?: string;
  /** Why it failed. */
  reason?: string;
}>;

/** What the work of an evaluation gets: the signal that ends it, and where it reports its progress. */
export type EvaluationWork = Readonly<{ signal: AbortSignal; progress: (done: number, total: number) => void }>;
export type StartedEvaluation<T> = Readonly<{ status: EvaluationRunStatus; ended: Promise<T> }>;

type Entry = { tenant: TenantId; status: EvaluationRunStatus };

/**
 * The evaluations that this process runs, and the last one of each scope since its start. They are kept in memory: an evaluation ends with
 * its process, so one that no process runs is never shown as running. The result itself is an event.
 */
export class EvaluationRuns {
  readonly #ids: Ids;
  readonly #now: () => string;
  readonly #entries = new Map<string, Entry>();
  readonly #active = new Set<Promise<unknown>>();
  readonly #stopped = new AbortController();

  constructor(ids: Ids, now: () => string) {
    this.#ids = ids;
    this.#now = now;
  }

  /** The evaluation that runs, or else the last one. */
  of(scope: TenantScope): EvaluationRunStatus | undefined {
    return this.#entries.get(scopeKey(scope))?.status;
  }

  /**
   * Starts an evaluation that a person asked for.
   * @throws Conflict while this process evaluates for the tenant: each evaluation embeds hundreds of texts, for minutes on a slow model
   */
  start<T>(scope: TenantScope, work: (run: EvaluationWork) => Promise<T>): StartedEvaluation<T> {
    const running = this.#running(scope);
    if (running) throw new Conflict(`scope "${scope.scope}" is being evaluated ${progressOf(running)}; ask again when it has ended`);
    const ofTenant = [...this.#entries.values()].some(({ tenant, status }) => tenant === scope.tenant && isOfPerson(status));
    if (ofTenant) throw new Conflict('an evaluation of this tenant is running; ask again when it has ended');
    const started = this.#start(scope, { by: 'person', signal: this.#stopped.signal }, work);
    const settled = started.ended.then(
      () => undefined,
      () => undefined,
    );
    this.#active.add(settled);
    void settled.then(() => this.#active.delete(settled));
    return started;
  }

  /** Runs the evaluation of a gate, which is never refused: if a person evaluates the scope at the time, it has no status. */
  async ofPlatform<T>(scope: TenantScope, signal: AbortSignal, work: (run: EvaluationWork) => Promise<T>): Promise<T> {
    if (this.#running(scope)) return work({ signal, progress: () => undefined });
    return this.#start(scope, { by: 'platform', signal }, work).ended;
  }

  /** Ends those of people, and waits for them. A gate ends with the worker that runs it. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Unavailable('the process that evaluated ended'));
    await Promise.allSettled(this.#active);
  }

  #start<T>(
    scope: TenantScope,
    { by, signal }: Readonly<{ by: EvaluationRunStatus['by']; signal: AbortSignal }>,
    work: (run: EvaluationWork) => Promise<T>,
  ): StartedEvaluation<T> {
    const status: EvaluationRunStatus = { run: this.#ids.next(), state: 'evaluating', by, startedAt: this.#now() };
    const entry: Entry = { tenant: scope.tenant, status };
    this.#entries.set(scopeKey(scope), entry);
    const change = (to: Partial<EvaluationRunStatus>): void => void (entry.status = { ...entry.status, ...to });
    const run = async (): Promise<T> => {
      try {
        const result = await work({ signal, progress: (done, total) => change({ queries: { done, total } }) });
        change({ state: 'complete', endedAt: this.#now() });
        return result;
      } catch (error) {
        const cause: unknown = signal.aborted ? signal.reason : error;
        change({ state: 'failed', endedAt: this.#now(), reason: reasonOf(cause) });
        throw cause;
      }
    };
    return { status, ended: run() };
  }

  #running(scope: TenantScope): EvaluationRunStatus | undefined {
    const status = this.of(scope);
    return status?.state === 'evaluating' ? status : undefined;
  }
}

const isOfPerson = ({ state, by }: EvaluationRunStatus): boolean => state === 'evaluating' && by === 'person';

const progressOf = ({ queries, startedAt }: EvaluationRunStatus): string =>
  `since ${startedAt}${queries === undefined ? '' : `, ${queries.done} of ${queries.total} queries so far`}`;

/** Messages of unexpected errors are for the log of the process only. */
const reasonOf = (error: unknown): string =>
  error instanceof KnowledgeError ? error.message : 'an unexpected error, which the log of the process describes';
