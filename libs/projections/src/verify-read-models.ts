import { createHash } from 'node:crypto';
import { partitionKey, Unavailable } from '@palimpsest/knowledge';
import type { ChunkId, IndexStore, Position, ScopeKeys, TenantScope } from '@palimpsest/knowledge';
import { catalogAgainstLog } from './catalog-against-log.ts';
import { checkUploads } from './check-uploads.ts';
import type { Difference } from './difference.ts';
import { expectedIndexes, type Digests, type ExpectedPartition } from './expected-indexes.ts';
import type { ReadModelStores } from './read-model-stores.ts';
import type { ReadModelRunner } from './read-model-runner.ts';

/** `fingerprint`: SHA-256 over the sorted (chunk id, vector digest, text digest) of the partition, as the log has it. `withoutVector`: of `chunks`, those that the model refused; they are found by their words. */
export type VerifiedPartition = Readonly<{ tenant: string; scope: string; generation: string; chunks: number; withoutVector: number; fingerprint: string }>;

/** How long the other writers of a shared index may take to remove what is gone. */
const SETTLE_MS = 30_000;

const ROUNDS = 3;
const AGAIN_MS = 1_000;

/** All of them: only a process that answers queries can compare them. */
type VerifiableStores = ReadModelStores & Required<Pick<ReadModelStores, 'vectors' | 'lexical'>>;

/**
 * `logDamage`: what of the log itself is not as it was written; missing where the log is a server. `keyDamage`, `uploadDamage`:
 * keys and uploads that are missing or do not open.
 */
export type Verification = Readonly<{
  clean: boolean; position: Position; partitions: readonly VerifiedPartition[]; differences: readonly Difference[];
  logDamage?: readonly string[]; keyDamage?: readonly string[]; uploadDamage?: readonly string[];
}>;

/** Checks what only one kind of installation has, such as the files of keys in its folder: a sentence for each that is damaged. */
export type CheckKeyFiles = () => Promise<readonly string[]>;

/** Compares what really lies in the read models with what the log says, chunk by chunk. Writers go on; projecting waits. */
export class VerifyReadModels {
  readonly #stores: VerifiableStores;
  readonly #runner: ReadModelRunner;
  readonly #digests: Digests;
  readonly #checkKeyFiles: CheckKeyFiles;

  constructor(stores: VerifiableStores, runner: ReadModelRunner, digests: Digests, checkKeyFiles: CheckKeyFiles = async () => []) {
    this.#stores = stores;
    this.#runner = runner;
    this.#digests = digests;
    this.#checkKeyFiles = checkKeyFiles;
  }

  /** The log first, then the keys: with a damaged one of these, nothing can be compared. */
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
    // Other replicas go on writing into a shared index: only what is found wrong again, a moment later, is wrong.
    for (let round = 1; this.#stores.shared && found.differences.length > 0 && round < ROUNDS; round++) {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
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
    for (const until = performance.now() + SETTLE_MS; shared && !(await shared.settled()); ) {
      if (performance.now() > until) throw new Unavailable('other replicas have not removed from the shared indexes what is gone', { forCallers: true });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #compare(position: Position): Promise<Verification> {
    const { journal, vectors, lexical } = this.#stores;
    const keys: ScopeKeys = this.#stores.keys;
    const expected = await expectedIndexes(journal, keys, this.#digests, position);
    const differences: Difference[] = [];
    for (const { partition, vectors: ofVectors, lexical: ofLexical } of expected) {
      const where = { tenant: partition.scope.tenant, scope: partition.scope.scope, generation: partition.generation };
      differences.push(...compare(ofVectors, await held(vectors, partition), { store: 'vectors', ...where }));
      differences.push(...compare(ofLexical, await held(lexical, partition), { store: 'lexical', ...where }));
    }
    const known = new Set(expected.map(({ partition }) => partitionKey(partition)));
    differences.push(...(await orphans(vectors, 'vectors', known)), ...(await orphans(lexical, 'lexical', known)));
    differences.push(...(await catalogAgainstLog(this.#stores, position)));
    return { clean: differences.length === 0, position, partitions: expected.map(verified), differences };
  }
}

const keyOf = ({ store, chunkId, row, tenant, scope, generation }: Difference): string => JSON.stringify([store, tenant, scope, generation, chunkId, row]);

const verified = ({ partition, vectors, lexical }: ExpectedPartition): VerifiedPartition => {
  const hash = createHash('sha256');
  for (const id of [...lexical.keys()].sort()) hash.update(`${id} ${vectors.get(id) ?? '-'} ${lexical.get(id)}\n`);
  return { tenant: partition.scope.tenant, scope: partition.scope.scope, generation: partition.generation, chunks: lexical.size, withoutVector: lexical.size - vectors.size, fingerprint: hash.digest('hex') };
};

const held = async (store: IndexStore, partition: ExpectedPartition['partition']): Promise<Map<ChunkId, string>> => {
  const entries = new Map<ChunkId, string>();
  for await (const { chunkId, digest } of store.entries(partition)) entries.set(chunkId, digest);
  return entries;
};

const compare = (expected: ReadonlyMap<ChunkId, string>, actual: ReadonlyMap<ChunkId, string>, where: Omit<Difference, 'kind' | 'chunkId'>): Difference[] => [
  ...[...expected].flatMap(([chunkId, digest]): Difference[] => {
    const found = actual.get(chunkId);
    return found === digest ? [] : [{ ...where, chunkId, kind: found === undefined ? 'missing' : 'different' }];
  }),
  ...[...actual.keys()].filter((chunkId) => !expected.has(chunkId)).map((chunkId): Difference => ({ ...where, chunkId, kind: 'extra' })),
];

/** Entries in partitions that the log knows nothing of, or that it retired. */
const orphans = async (store: IndexStore, name: 'vectors' | 'lexical', known: ReadonlySet<string>): Promise<Difference[]> => {
  const found: Difference[] = [];
  for (const partition of await store.partitions()) {
    if (known.has(partitionKey(partition))) continue;
    const { scope: { tenant, scope }, generation } = partition;
    for await (const { chunkId } of store.entries(partition)) found.push({ store: name, kind: 'extra', chunkId, tenant, scope, generation });
  }
  return found;
};
