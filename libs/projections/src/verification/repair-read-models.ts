import type { Journal } from '@palimpsest/contracts';
import { timestamp, type System } from '@palimpsest/foundation';
import { Conflict } from '@palimpsest/knowledge/errors';
import type { CatalogRow } from '@palimpsest/knowledge/read-models';
import { readModelsStream, type ReadModelsRepaired, type RepairedCount } from '@palimpsest/knowledge/repairs';
import { DEFAULT_TENANT, generationId, tenantId, vectorScope, type VectorScope } from '@palimpsest/knowledge/values';
import { refuseUnknownScopes, type ScopesOfTenant } from '../refuse-unknown-scopes.ts';
import type { BuildPace } from '../views/view-build.ts';
import { keyOf, type Difference } from './difference.ts';
import type { Verifications } from './verifications.ts';
import type { Verification, VerifyReadModels } from './verify-read-models.ts';
import type { WriteDifferences } from './write-differences.ts';

const MAX_COUNTS = 1_000;
const MAX_CHUNKS = 100;
/** Repairs that are listed. */
const LISTED = 20;

/** `by`: the API key of the caller, or the schedule. `only`: these scopes of a tenant. */
export type RepairOrder = Readonly<{
  by: string;
  correlationId: string;
  trigger: ReadModelsRepaired['data']['trigger'];
  only?: ScopesOfTenant;
  pace?: BuildPace;
}>;

/** `repaired`: differences that are gone. `seconds`: of the writes, without both verifications. `after`: of all scopes, also if only some were repaired. */
export type Repair = Readonly<{ repaired: number; counts: readonly RepairedCount[]; seconds: number; after: Verification }>;

export type PastRepair = Readonly<{ event: ReadModelsRepaired['data']; by: string }>;

type Parts = Readonly<{
  journal: Journal;
  verify: VerifyReadModels;
  verifications: Verifications;
  writes: WriteDifferences;
  isRebuilding: () => boolean;
  system: System;
}>;

/** Verifies the read models of this process, writes what differs again from the log, and verifies again. */
export class RepairReadModels {
  readonly #parts: Parts;
  #isRunning = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws NotFound for a scope that does not exist; Conflict while a rebuild or another repair runs, which would write the same */
  async run(order: RepairOrder): Promise<Repair> {
    if (order.only !== undefined) await refuseUnknownScopes(this.#parts.journal, order.only);
    if (this.#parts.isRebuilding()) throw new Conflict('a rebuild is running, which writes everything again');
    if (this.#isRunning) throw new Conflict('a repair is already running');
    this.#isRunning = true;
    try {
      return await this.#repair(order);
    } finally {
      this.#isRunning = false;
    }
  }

  /** The last repairs of all processes, the newest first. */
  async past(): Promise<readonly PastRepair[]> {
    const found: PastRepair[] = [];
    for await (const { event, metadata } of this.#parts.journal.readStream(readModelsStream(), { direction: 'backwards', limit: LISTED }))
      if (event.type === 'ReadModelsRepaired') found.push({ event: event.data, by: metadata.actor });
    return found;
  }

  async #repair(order: RepairOrder): Promise<Repair> {
    const { verify, verifications, writes, system } = this.#parts;
    const pace = order.pace === undefined ? {} : { pace: order.pace };
    const before = await verifications.run('repair', pace);
    const differences = before.differences.filter(isIn(order));
    if (differences.length === 0) return { repaired: 0, counts: [], seconds: 0, after: before };
    const began = system.clock.elapsed();
    await verify.atView((view) => writes.write(view, differences, before.rows.filter(isIn(order))));
    const seconds = (system.clock.elapsed() - began) / 1_000;
    const after = await verifications.run('repair', pace);
    const left = new Set(after.differences.map(keyOf));
    const repaired = differences.filter((difference) => !left.has(keyOf(difference)));
    const counts = countsOf(repaired);
    if (repaired.length > 0) await this.#record(order, repaired, counts, after);
    return { repaired: repaired.length, counts, seconds, after };
  }

  async #record(
    { by, correlationId, trigger }: RepairOrder,
    repaired: readonly Difference[],
    counts: readonly RepairedCount[],
    { position, differences }: Verification,
  ): Promise<void> {
    const { journal, system } = this.#parts;
    const chunkIds = new Set(repaired.flatMap(({ chunkId, store }) => (chunkId === undefined || store === 'catalog' ? [] : [chunkId])));
    const event: ReadModelsRepaired = {
      type: 'ReadModelsRepaired',
      data: {
        trigger,
        upTo: String(position),
        total: repaired.length,
        counts: counts.slice(0, MAX_COUNTS),
        chunkIds: [...chunkIds].slice(0, MAX_CHUNKS),
        remaining: differences.length,
        repairedAt: timestamp(system.clock),
      },
    };
    await journal.appendToEnd(readModelsStream(), [event], { tenant: DEFAULT_TENANT, actor: by, correlationId });
  }
}

/** Rows without a scope belong to the tenant: they follow from the rows of its scopes. */
const isIn =
  ({ only }: RepairOrder) =>
  ({ tenant, scope }: Difference | CatalogRow): boolean =>
    only === undefined || (tenant === only.tenant && (scope === '' || only.scopes.includes(scope as VectorScope)));

/** The largest first. */
const countsOf = (differences: readonly Difference[]): readonly RepairedCount[] => {
  const counts = new Map<string, RepairedCount>();
  for (const { store, kind, tenant, scope, generation } of differences) {
    const of = {
      store,
      kind,
      ...valid('tenant', tenantId, tenant),
      ...valid('scope', vectorScope, scope),
      ...valid('generation', generationId, generation),
    };
    const key = JSON.stringify(of);
    counts.set(key, { ...of, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count);
};

/** Nothing for what no event could name: a damaged row may say anything. */
const valid = <Name extends string, T>(name: Name, parse: (raw: unknown) => T, raw: string | undefined): { readonly [Key in Name]?: T } => {
  try {
    return { [name]: parse(raw) } as { readonly [Key in Name]?: T };
  } catch {
    return {};
  }
};
