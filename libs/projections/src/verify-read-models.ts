import { createHash } from 'node:crypto';
import { cipherIfAny } from '@palimpsest/contracts';
import { pause, SYSTEM, type System } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { partitionKey } from '@palimpsest/knowledge/read-models';
import type { IndexPartition, IndexStore } from '@palimpsest/knowledge/read-models';
import { tenantId, vectorScope, type ChunkId, type Position, type TenantScope } from '@palimpsest/knowledge/values';
import { compareCatalogs } from './compare-catalogs.ts';
import { checkUploads } from './check-uploads.ts';
import type { Difference } from './difference.ts';
import type { ReadModelStores } from './read-model-stores.ts';
import type { ReadModelRunner } from './read-model-runner.ts';
import { partitionsOf, viewAt, type Digests, type ViewAt } from './views/view-at.ts';

/**
 * `fingerprint`: SHA-256 over the sorted (chunk id, vector digest, text digest) of the partition, computed from the log.
 * `withoutVector`: number of `chunks` that the model refused; they are found by their words only.
 */
export type VerifiedPartition = Readonly<{
  tenant: string;
  scope: string;
  generation: string;
  chunks: number;
  withoutVector: number;
  fingerprint: string;
}>;

/** Time limit for the other writers of a shared index to write their removals. */
const SETTLE_MS = 30_000;

const ROUNDS = 3;
const AGAIN_MS = 1_000;

/** All stores: only a process that answers queries can compare them. */
type VerifiableStores = ReadModelStores & Required<Pick<ReadModelStores, 'vectors' | 'lexical'>>;

/**
 * `logDamage`: damage of the log itself; undefined if the log is a server. `keyDamage`, `uploadDamage`: keys and uploads that are
 * missing or cannot be opened.
 */
export type Verification = Readonly<{
  clean: boolean;
  position: Position;
  partitions: readonly VerifiedPartition[];
  differences: readonly Difference[];
  logDamage?: readonly string[];
  keyDamage?: readonly string[];
  uploadDamage?: readonly string[];
}>;

/** Checks data that only one kind of installation has, such as key files in its folder. Returns a sentence for each damaged one. */
export type CheckKeyFiles = () => Promise<readonly string[]>;

/** Compares the stored data of the read models with the log, chunk by chunk. Writers continue; projecting is paused. */
export class VerifyReadModels {
  readonly #stores: VerifiableStores;
  readonly #runner: ReadModelRunner;
  readonly #digests: Digests;
  readonly #checkKeyFiles: CheckKeyFiles;
  readonly #system: System;

  constructor(
    stores: VerifiableStores,
    runner: ReadModelRunner,
    digests: Digests,
    checkKeyFiles: CheckKeyFiles = async () => [],
    system: System = SYSTEM,
  ) {
    this.#system = system;
    this.#stores = stores;
    this.#runner = runner;
    this.#digests = digests;
    this.#checkKeyFiles = checkKeyFiles;
  }

  /** Checks the log and then the keys first: if one is damaged, nothing can be compared. */
  async run(): Promise<Verification> {
    const nothing = { clean: false, position: this.#runner.position(), partitions: [], differences: [] };
    const { journal, blobs, keys } = this.#stores;
    const logDamage = await journal.log.check?.();
    const ofLog = logDamage === undefined ? {} : { logDamage };
    if (logDamage !== undefined && logDamage.length > 0) return { ...nothing, logDamage };
    const scopeKeyDamage = (await keys.check?.(await this.#scopesWithDocuments())) ?? [];
    const keyDamage = [...scopeKeyDamage, ...(await this.#checkKeyFiles())];
    if (scopeKeyDamage.length > 0) return { ...nothing, ...ofLog, keyDamage };
    const uploadDamage = blobs === undefined ? [] : await checkUploads(journal, blobs, keys);
    const compared = await this.#readModels();
    return { ...compared, ...ofLog, keyDamage, uploadDamage, clean: compared.clean && keyDamage.length === 0 && uploadDamage.length === 0 };
  }

  async #scopesWithDocuments(): Promise<readonly TenantScope[]> {
    const { catalog } = this.#stores;
    const found: TenantScope[] = [];
    for (const { scope } of await catalog.scopes()) if ((await catalog.indexedDocuments(scope, 1)).length > 0) found.push(scope);
    return found;
  }

  async #readModels(): Promise<Verification> {
    let found = await this.#once();
    // Other replicas keep writing to a shared index: only a difference that is found again a moment later counts.
    for (let round = 1; this.#stores.shared && found.differences.length > 0 && round < ROUNDS; round++) {
      await pause(AGAIN_MS, undefined, this.#system.scheduler);
      const before = new Set(found.differences.map(keyOf));
      const next = await this.#once();
      const differences = next.differences.filter((difference) => before.has(keyOf(difference)));
      found = { ...next, differences, clean: differences.length === 0 };
    }
    return found;
  }

  async #once(): Promise<Verification> {
    await this.#runner.reached(await this.#stores.journal.log.head(), 60_000);
    return this.#runner.whilePaused(async () => {
      await this.#settled();
      return this.#compare(this.#runner.position());
    });
  }

  async #settled(): Promise<void> {
    const { shared } = this.#stores;
    const { clock, scheduler } = this.#system;
    for (const until = clock.elapsed() + SETTLE_MS; shared && !(await shared.settled());) {
      if (clock.elapsed() > until)
        throw new Unavailable('other replicas have not yet removed deleted chunks from the shared indexes', { forCallers: true });
      await pause(100, undefined, scheduler);
    }
  }

  /** Compares the read models with the view of this position, which is made only from the log. */
  async #compare(position: Position): Promise<Verification> {
    const view = await viewAt(this.#stores, position, this.#digests);
    try {
      const { vectors, lexical, catalog } = this.#stores;
      const partitions = await partitionsOf(view);
      const differences: Difference[] = [];
      for (const partition of partitions) {
        const where = { tenant: partition.scope.tenant, scope: partition.scope.scope, generation: partition.generation };
        differences.push(...compare(view.vectors.entries(partition), await held(vectors, partition), { store: 'vectors', ...where }));
        differences.push(...compare(view.lexical.entries(partition), await held(lexical, partition), { store: 'lexical', ...where }));
      }
      const known = new Set(partitions.map(partitionKey));
      differences.push(...(await orphans(vectors, 'vectors', known)), ...(await orphans(lexical, 'lexical', known)));
      differences.push(...(await compareCatalogs(view.catalog, catalog)));
      const readable = await this.#ofReadableScopes(differences);
      return {
        clean: readable.length === 0,
        position,
        partitions: partitions.map((partition) => verified(view, partition)),
        differences: readable,
      };
    } finally {
      await view.close();
    }
  }

  /** Without those of scopes whose key was destroyed: the log can no longer say what they should have. */
  async #ofReadableScopes(differences: readonly Difference[]): Promise<readonly Difference[]> {
    const isReadable = new Map<string, boolean>();
    for (const { tenant, scope } of differences) {
      if (scope === undefined || isReadable.has(`${tenant}/${scope}`)) continue;
      const cipher = await cipherIfAny(this.#stores.keys, { tenant: tenantId(tenant), scope: vectorScope(scope) });
      isReadable.set(`${tenant}/${scope}`, cipher !== undefined);
    }
    return differences.filter(({ tenant, scope }) => isReadable.get(`${tenant}/${scope}`) !== false);
  }
}

const keyOf = ({ store, chunkId, row, tenant, scope, generation }: Difference): string =>
  JSON.stringify([store, tenant, scope, generation, chunkId, row]);

const verified = (view: ViewAt, partition: IndexPartition): VerifiedPartition => {
  const [vectors, lexical] = [view.vectors.entries(partition), view.lexical.entries(partition)];
  const hash = createHash('sha256');
  for (const id of [...lexical.keys()].sort()) hash.update(`${id} ${vectors.get(id) ?? '-'} ${lexical.get(id)}\n`);
  return {
    tenant: partition.scope.tenant,
    scope: partition.scope.scope,
    generation: partition.generation,
    chunks: lexical.size,
    withoutVector: lexical.size - vectors.size,
    fingerprint: hash.digest('hex'),
  };
};

const held = async (store: IndexStore, partition: IndexPartition): Promise<Map<ChunkId, string>> => {
  const entries = new Map<ChunkId, string>();
  for await (const { chunkId, digest } of store.entries(partition)) entries.set(chunkId, digest);
  return entries;
};

const compare = (
  expected: ReadonlyMap<ChunkId, string>,
  actual: ReadonlyMap<ChunkId, string>,
  where: Omit<Difference, 'kind' | 'chunkId'>,
): Difference[] => [
  ...[...expected].flatMap(([chunkId, digest]): Difference[] => {
    const found = actual.get(chunkId);
    return found === digest ? [] : [{ ...where, chunkId, kind: found === undefined ? 'missing' : 'different' }];
  }),
  ...[...actual.keys()].filter((chunkId) => !expected.has(chunkId)).map((chunkId): Difference => ({ ...where, chunkId, kind: 'extra' })),
];

/** Entries in partitions that are not on the log or are retired. */
const orphans = async (store: IndexStore, name: 'vectors' | 'lexical', known: ReadonlySet<string>): Promise<Difference[]> => {
  const found: Difference[] = [];
  for (const partition of await store.partitions()) {
    if (known.has(partitionKey(partition))) continue;
    const {
      scope: { tenant, scope },
      generation,
    } = partition;
    for await (const { chunkId } of store.entries(partition))
      found.push({ store: name, kind: 'extra', chunkId, tenant, scope, generation });
  }
  return found;
};
