import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { openSqliteCatalog, openSqliteEventLog } from '@palimpsest/adapters-sqlite';
import { openScanVectorIndex } from '@palimpsest/adapters-vector-scan';
import { NotCaughtUp } from '@palimpsest/knowledge/errors';
import { ScopeKeyDestroyed, type EventLog } from '@palimpsest/knowledge/ports';
import type { Catalog, LexicalIndex, VectorIndex } from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';
import { ReadModelRunner } from '@palimpsest/projections';
import { aJournal, InMemoryCheckpoints } from '@palimpsest/test-kit';
import { inBatches, PLACES, World, worldHistories, type WorldStep } from '@palimpsest/test-kit/histories';
import { openPastViews } from '../open-past-views.ts';

const HISTORIES = Number(process.env['HISTORIES'] ?? 6);
/** A failure prints its seed; with it, the same histories run again. */
const SEED = process.env['HISTORIES_SEED'];
const batches = fc.integer({ min: 1, max: 6 });

type Read = 'partitions' | 'entries';
type Stores = Readonly<{ catalog: Pick<Catalog, 'rows'>; vectors: Pick<VectorIndex, Read>; lexical: Pick<LexicalIndex, Read> }>;

/** Folders and open files of one history. */
const inFolder = async <T>(
  work: (folder: string, keep: <S extends { close(): Promise<void> }>(store: S) => S) => Promise<T>,
): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'histories-'));
  const open: { close(): Promise<void> }[] = [];
  try {
    return await work(folder, (store) => (open.unshift(store), store));
  } finally {
    for (const store of open) await store.close();
    await rm(folder, { recursive: true });
  }
};

/** Of each folder; they are on disk when they are set. */
const checkpointsOf = new Map<string, InMemoryCheckpoints>();

/** Projects the log onto the stores in a folder, as the embedded platform does. */
const openRunner = async ({ log, keys }: World, root: string, maxBatch?: number, onProjected: () => void = () => undefined) => {
  const [vectors, lexical] = [await openScanVectorIndex({ root, keys }), await openBm25Index({ root, keys })];
  const catalog = await openSqliteCatalog({ file: join(root, 'catalog.db') });
  const checkpoints = checkpointsOf.get(root)?.reopened() ?? new InMemoryCheckpoints();
  checkpointsOf.set(root, checkpoints);
  const errors: unknown[] = [];
  const journal = aJournal(inBatches(log, maxBatch), keys);
  const runner = new ReadModelRunner(
    { journal, catalog, keys, vectors, lexical },
    { checkpoints, onProjected, onError: (error) => errors.push(error) },
  );
  runner.start();
  const caughtUp = async (): Promise<void> => {
    if (!(await runner.reached(await log.head(), 240_000))) throw new Error(`stuck at ${runner.position()}: ${String(errors.at(-1))}`);
  };
  const close = async (): Promise<void> => {
    await runner.stop();
    for (const store of [lexical, vectors, catalog]) await store.close();
    // A key may be destroyed between the reading of an event and its writing: then the batch is projected again.
    // That everything is projected again after history was removed is no failure.
    expect(errors.filter((error) => !(error instanceof ScopeKeyDestroyed || error instanceof NotCaughtUp))).toEqual([]);
  };
  return { stores: { catalog, vectors, lexical }, runner, caughtUp, close };
};

const contentsOf = async ({ catalog, vectors, lexical }: Stores, world: World) => {
  const found: string[] = [];
  for await (const row of catalog.rows()) if (world.isKnown(row)) found.push(JSON.stringify(row));
  for (const [name, index] of Object.entries({ vectors, lexical }))
    for (const partition of await index.partitions())
      if (world.isKnown(partition.scope))
        for await (const { chunkId, digest } of index.entries(partition)) found.push(JSON.stringify([name, partition, chunkId, digest]));
  return found.sort();
};

const projected = async (world: World, root: string, maxBatch?: number) => {
  const process = await openRunner(world, root, maxBatch);
  try {
    await process.caughtUp();
    return await contentsOf(process.stores, world);
  } finally {
    await process.close();
  }
};

/** Projects some batches, and stops. */
const projectedPartly = async (world: World, root: string, maxBatch: number, count: number): Promise<void> => {
  const enough = Promise.withResolvers<void>();
  let written = 0;
  const process = await openRunner(world, root, maxBatch, () => void (++written === count && enough.resolve()));
  await Promise.race([enough.promise, process.caughtUp()]);
  await process.close();
};

const openLog = (folder: string): Promise<EventLog & { close(): Promise<void> }> =>
  openSqliteEventLog({ file: join(folder, 'log', 'events.db') });

/** Nothing is left of the only document of a tenant, on the log and in the figures of the tenant. */
const LAST_DOCUMENT_GONE: [readonly WorldStep[], number, number, number, number] = [
  [
    { place: 0, step: { do: 'index', name: 'a', contents: { texts: ['apple'] } }, aboutPerson: true, wait: false },
    { place: 0, step: { do: 'erase subject' }, aboutPerson: false, wait: false },
    { place: 0, step: { do: 'remove history', quarters: 2 }, aboutPerson: false, wait: false },
  ],
  ...([0, 1, 1, 0] as const),
];

describe('Projecting any history onto the embedded stores', () => {
  const made = { copy: 0, log: 0 };

  it(
    `gives the same contents live, rebuilt, in batches of any size, stopped and continued, and at any moment: ${HISTORIES} histories`,
    () =>
      fc.assert(
        fc.asyncProperty(worldHistories, fc.nat(), batches, batches, fc.nat(40), (history, then, maxBatch, other, written) =>
          inFolder(async (folder, keep) => {
            const world = await World.begin(keep(await openLog(folder)));
            const live = keep(await openRunner(world, join(folder, 'live')));
            const lived: { position: Position; contents: readonly string[] }[] = [];
            for (const [i, step] of history.entries()) {
              await world.apply(step);
              if (i === then % history.length) await projectedPartly(world, join(folder, 'continued'), maxBatch, written);
              if (!step.wait) continue;
              await live.caughtUp();
              lived.push({ position: await world.log.head(), contents: await contentsOf(live.stores, world) });
            }
            await live.caughtUp();
            const expected = await contentsOf(live.stores, world);
            expect(await projected(world, join(folder, 'rebuilt'))).toEqual(expected);
            expect(await projected(world, join(folder, 'in batches'), maxBatch)).toEqual(expected);
            expect(await projected(world, join(folder, 'continued'), other)).toEqual(expected);

            const moment = lived[then % lived.length];
            // What a key opened that was destroyed later is in no moment any more.
            if (moment === undefined || history.some(({ step }) => /^(erase|destroy)/.test(step.do))) return;
            const views = keep(
              await openPastViews(join(folder, 'past'), {
                journal: aJournal(world.log, world.keys),
                keys: world.keys,
                keepMs: 60_000,
                onFault: (error) => {
                  throw error;
                },
                live: () => ({ ...live.stores, reached: live.runner.reached.bind(live.runner), serving: () => live.runner.serving() }),
              }),
            );
            for (const tenant of new Set(PLACES.map((place) => place.tenant))) {
              if (moment.position < world.earliest(tenant)) continue;
              // Versions whose history was removed are not listed any more.
              const ofTenant = (contents: readonly string[]) =>
                contents.filter((row) => row.includes(`"tenant":"${tenant}"`) && !row.includes('"table":"versions"'));
              const past = await views.at({ tenant, asOf: { position: moment.position }, scopes: [] }, (view) =>
                contentsOf(view as unknown as Stores, world),
              );
              expect(ofTenant(past)).toEqual(ofTenant(moment.contents));
            }
            made.copy += views.made.copy;
            made.log += views.made.log;
          }),
        ),
        { numRuns: HISTORIES + 1, examples: [LAST_DOCUMENT_GONE], ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
      ),
    900_000,
  );

  it('has made some of these moments from a copy of the live read models', () => {
    expect(made.copy).toBeGreaterThan(0);
  });
});
