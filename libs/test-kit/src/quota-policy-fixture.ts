import { QuotaExceeded, type ReachedQuota } from '@palimpsest/knowledge/errors';
import type { Limits, QuotaPolicy } from '@palimpsest/knowledge/limits';
import type { EventLog } from '@palimpsest/knowledge/ports';
import type { CatalogChange, ReadModels } from '@palimpsest/knowledge/read-models';
import { position, type Position } from '@palimpsest/knowledge/values';
import { InMemoryCatalog } from './in-memory/in-memory-catalog.ts';

/** What a policy counts: the catalog, which may be behind the log. */
export type QuotaStores = Readonly<{ catalog: InMemoryCatalog; log: Pick<EventLog, 'head'>; readModels: Pick<ReadModels, 'reached'> }>;

export type QuotaPolicyUnderTest = Readonly<{ policy: QuotaPolicy; dispose(): Promise<void> }>;

/** A policy that gives every tenant these limits. */
export type OpenQuotaPolicy = (limits: Limits, stores: QuotaStores) => Promise<QuotaPolicyUnderTest>;

/** A policy with its stores. The catalog stays behind the log until `catchUp`. */
export class QuotaWorld {
  readonly policy: QuotaPolicy;
  readonly #stores: QuotaStores;
  readonly #recorded: CatalogChange[];

  private constructor(policy: QuotaPolicy, stores: QuotaStores, recorded: CatalogChange[]) {
    this.policy = policy;
    this.#stores = stores;
    this.#recorded = recorded;
  }

  /** Runs a test with a new policy. */
  static async with(open: OpenQuotaPolicy, limits: Limits, test: (world: QuotaWorld) => Promise<void>): Promise<void> {
    const [catalog, recorded]: [InMemoryCatalog, CatalogChange[]] = [new InMemoryCatalog(), []];
    const stores: QuotaStores = {
      catalog,
      log: { head: async () => position(BigInt(recorded.length)) },
      readModels: { reached: async (wanted) => (await catalog.position()) >= wanted },
    };
    const { policy, dispose } = await open(limits, stores);
    try {
      await test(new QuotaWorld(policy, stores, recorded));
    } finally {
      await dispose();
    }
  }

  /** Appends a change to the log; the catalog does not contain it yet. */
  record(change: CatalogChange): Position {
    return position(BigInt(this.#recorded.push(change)));
  }

  async catchUp(): Promise<void> {
    const { catalog, log } = this.#stores;
    await catalog.apply(this.#recorded.slice(Number(await catalog.position())), await log.head());
  }
}

/** The quota that refused an attempt, or undefined if it was granted. */
export const refusal = (attempt: Promise<unknown>): Promise<ReachedQuota | undefined> =>
  attempt.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof QuotaExceeded) return error.quota;
      throw error;
    },
  );
