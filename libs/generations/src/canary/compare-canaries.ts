import { InMemoryProjection, type Journal } from '@palimpsest/contracts';
import { scope as decider, scopeStream } from '@palimpsest/knowledge/deciders';
import { projection, type Fact, type KnowledgeRetrieved, type Projection } from '@palimpsest/knowledge/events';
import { scopeKey, START } from '@palimpsest/knowledge/values';
import type { System } from '@palimpsest/foundation';
import type { Canary, CanaryEnded, CanaryEvidence, CanaryStarted } from '@palimpsest/knowledge/canary';
import type { Position, TenantScope } from '@palimpsest/knowledge/values';
import { CanaryComparison } from './canary-comparison.ts';

const ACTOR = 'canary-comparison';
const RETRY_MS = 1_000;

type Parts = Readonly<{
  journal: Journal;
  now: () => string;
  onFault: (error: unknown, about: string) => void;
  system: Pick<System, 'scheduler'>;
}>;
/** `upTo`: records up to this position are compared, or before its start. `unrecorded`: a regression was found and is not on the log yet. */
type Running = Readonly<{ scope: TenantScope; started: number; comparison: CanaryComparison }> & { upTo: Position; unrecorded?: true };

/**
 * Compares both sides of each canary that runs, by the retrieval records on the log, and returns its callers when it finds a regression.
 * Every process that runs it finds the same; the first event is the one that counts. Records are followed only while a canary runs.
 */
export class CompareCanaries {
  readonly #parts: Parts;
  readonly #running = new Map<string, Running>();
  readonly #canaries: InMemoryProjection;
  readonly #records: Projection<void, void>;
  #following: InMemoryProjection | undefined;
  /** Starting and stopping to follow, in order. Undefined before `start` has read which canaries run. */
  #changes: Promise<void> | undefined;
  /** Canaries that this process ended, since its start. */
  returned = 0;
  /** Appends that are in progress. */
  readonly #returns = new Set<Promise<void>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    const all = projection('canary-comparison', {
      CanaryStarted: (fact) => this.#started(fact),
      CanaryEnded: (fact) => this.#ended(fact),
      KnowledgeRetrieved: (fact) => this.#retrieved(fact),
    });
    const ofType = (retrieved: boolean) => ({
      ...all,
      handles: all.handles.filter((type) => (type === 'KnowledgeRetrieved') === retrieved),
    });
    this.#records = ofType(true);
    this.#canaries = new InMemoryProjection(parts.journal, ofType(false), parts.system.scheduler);
  }

  async start(): Promise<void> {
    await this.#canaries.start(START, (error) => this.#parts.onFault(error, 'following canaries'));
    this.#changes = Promise.resolve();
    this.#follow();
    await this.#changes;
  }

  async stop(): Promise<void> {
    await this.#canaries.stop();
    this.#running.clear();
    this.#follow();
    await this.#changes;
    await Promise.all(this.#returns);
  }

  /** Canaries that run, in the installation. */
  get running(): number {
    return this.#running.size;
  }

  /** Both sides of this canary. Undefined if it had no query yet, or this process does not know it yet. */
  of(scope: TenantScope, { started }: Pick<Canary, 'started'>): CanaryEvidence | undefined {
    const running = this.#running.get(scopeKey(scope));
    return running?.started === started ? running.comparison.evidence() : undefined;
  }

  #started({ event: { data }, metadata: { tenant }, position: upTo, revision: started }: Fact<CanaryStarted>): void {
    const scope = { tenant, scope: data.scope };
    this.#running.set(scopeKey(scope), { scope, started, upTo, comparison: new CanaryComparison(data) });
    this.#follow();
  }

  #ended({ event: { data }, metadata: { tenant } }: Fact<CanaryEnded>): void {
    this.#running.delete(scopeKey({ tenant, scope: data.scope }));
    this.#follow();
  }

  /** Follows the records exactly while a canary runs, from its start on. */
  #follow(): void {
    this.#changes = this.#changes?.then(async () => {
      const { journal, system, onFault } = this.#parts;
      const starts = [...this.#running.values()].map(({ upTo }) => upTo);
      if (starts.length > 0 === (this.#following !== undefined)) return;
      await this.#following?.stop();
      this.#following = undefined;
      if (starts.length === 0) return;
      const records = new InMemoryProjection(journal, this.#records, system.scheduler);
      const report = (error: unknown): void => onFault(error, 'following retrieval records');
      const first = starts.reduce((earliest, upTo) => (upTo < earliest ? upTo : earliest));
      try {
        await records.start(first, report);
        this.#following = records;
      } catch (error) {
        report(error);
        // The log may be away; canaries must not stay without their comparison.
        system.scheduler.after(RETRY_MS, () => this.#follow(), { background: true });
      }
    });
  }

  #retrieved({ event: { data }, metadata: { tenant }, position }: Fact<KnowledgeRetrieved>): void {
    for (const { scope } of data.generations) {
      const running = this.#running.get(scopeKey({ tenant, scope }));
      if (running === undefined || position <= running.upTo) continue;
      running.upTo = position;
      const isWorse = running.comparison.add(data, position);
      if (isWorse || running.unrecorded) this.#returnCallers(running, data.traceId);
    }
  }

  #returnCallers(running: Running, correlationId: string): void {
    const evidence = running.comparison.evidence();
    if (evidence === undefined) return;
    delete running.unrecorded;
    const { journal, now, onFault } = this.#parts;
    const { scope, started } = running;
    const command = { type: 'ReturnCallers' as const, scope: scope.scope, started, evidence, now: now() };
    const appending: Promise<void> = journal
      .execute(decider, scopeStream(scope), command, { ...scope, actor: ACTOR, correlationId })
      .then(({ events }) => void (this.returned += events.length))
      .catch((error: unknown) => {
        // Tried again with the next record.
        running.unrecorded = true;
        onFault(error, `returning the callers of the canary of ${scope.scope}`);
      })
      .finally(() => this.#returns.delete(appending));
    this.#returns.add(appending);
  }
}
