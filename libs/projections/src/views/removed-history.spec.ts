import fc from 'fast-check';
import { removeDocumentHistory } from '@palimpsest/contracts';
import { SYSTEM } from '@palimpsest/foundation';
import { documentStream } from '@palimpsest/knowledge/deciders';
import type { CatalogRow } from '@palimpsest/knowledge/read-models';
import { earlierOf, START, type EmbeddingVersion, type Position } from '@palimpsest/knowledge/values';
import { aJournal } from '@palimpsest/test-kit';
import { applyStep, MODELS, SCOPE, steps, theDocument, World, type Step, type WorldStep } from '@palimpsest/test-kit/histories';
import { afterThe, aProcess, aScenario, emptyDisk, projected, type Disk } from '../../test/fixture.ts';
import { Tombstones } from '../tombstones.ts';
import { LiveCopy } from './live-copy.ts';
import { refuseIncomplete } from './removed-history.ts';
import { ViewBuild } from './view-build.ts';

type OneScope = Awaited<ReturnType<typeof aScenario>>;

/**
 * What callers can see, apart from earlier versions in lists, and from the number of chunks without a vector: a refusal that precedes the
 * history that is kept is repeated later, and only counted from there on.
 */
const contentsOf = async ({ catalog, vectors, lexical }: Disk): Promise<readonly string[]> => {
  const found: string[] = [];
  for await (const row of catalog.rows()) if (row.table !== 'refused chunks') found.push(JSON.stringify(withoutVersions(row)));
  for (const [name, index] of Object.entries({ vectors, lexical }))
    for (const partition of await index.partitions())
      for await (const { chunkId, digest } of index.entries(partition)) found.push(JSON.stringify([name, partition, chunkId, digest]));
  return found.sort();
};

const rowsOf = async ({ catalog }: Disk): Promise<readonly string[]> => {
  const found: string[] = [];
  for await (const row of catalog.rows()) found.push(JSON.stringify(row));
  return found.sort();
};

const withoutVersions = (row: CatalogRow): CatalogRow =>
  row.table === 'documents' ? { ...row, digest: JSON.stringify({ ...(JSON.parse(row.digest) as object), versions: [] }) } : row;

/** The view of a moment, from the log. */
const built = async ({ log, keys }: OneScope, at: Position): Promise<readonly string[]> => {
  const journal = aJournal(log, keys);
  const disk = emptyDisk();
  const target = { journal, keys, ...disk };
  await new ViewBuild(target, { tombstones: (from, upTo) => Tombstones.until(journal, upTo, from, { tenant: SCOPE.tenant }) }).upTo(at);
  return contentsOf(disk);
};

/** The same, as a copy of the live read models; nothing if that is not possible. */
const copied = async ({ log, keys }: OneScope, live: Disk, at: Position): Promise<readonly string[] | undefined> => {
  const target = emptyDisk();
  const set = { ...live, reached: async () => true, serving: () => true };
  const moment = { tenant: SCOPE.tenant, position: at, signal: new AbortController().signal, onTakenBack: () => undefined };
  const copy = new LiveCopy({ journal: aJournal(log, keys), keys, system: SYSTEM }, set, target, moment);
  return (await copy.make()) ? contentsOf(target) : undefined;
};

const removeAll = async ({ scenario }: OneScope, upTo: Position, names = ['a', 'b']): Promise<number> => {
  const ports = { journal: scenario.journal, now: () => '2026-11-28T00:00:00.000Z', removeUploads: async () => undefined };
  let removed = 0;
  if ((await scenario.generations()).some(({ status }) => status === 'building')) return 0;
  for (const name of names) if ((await removeDocumentHistory(ports, { ...SCOPE, id: theDocument(name) }, upTo)) === 'removed') removed++;
  return removed;
};

const of = (...what: readonly Step['do'][]): fc.Arbitrary<Step> => steps.filter((step) => what.includes(step.do));
/** A swap to another model: history waits while a generation is being built. */
const swap = (model: EmbeddingVersion): readonly Step[] => [
  { do: 'start', model },
  ...['a', 'b'].map((name): Step => ({ do: 'reembed', name })),
  { do: 'activate', which: 0 },
];
const ofOne: fc.Arbitrary<readonly Step[]> = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: of('index').map((step) => [step]) },
      { weight: 2, arbitrary: of('delete', 'fail', 'reembed', 'refuse').map((step) => [step]) },
      { weight: 1, arbitrary: fc.constantFrom(...MODELS).map(swap) },
    ),
    { minLength: 4, maxLength: 9 },
  )
  .map((parts) => parts.flat());

describe('Moments within the history that is kept', () => {
  it('are what they were before the rest was removed, from the log and as copies, also if more is removed later', async () => {
    let [removed, copies] = [0, 0];
    await fc.assert(
      fc.asyncProperty(ofOne, fc.integer({ min: 1, max: 8 }), fc.boolean(), async (history, eighths, twice) => {
        const world = await aScenario();
        const lived: { at: Position; contents: readonly string[] }[] = [];
        const live = emptyDisk();
        const cut = await world.log.head();
        for (const step of history) {
          await applyStep(world.scenario, step);
          await projected(world, live);
          lived.push({ at: await world.log.head(), contents: await contentsOf(live) });
        }
        const upTo = lived[Math.floor((eighths * (lived.length - 1)) / 8)]?.at ?? cut;
        if (twice) removed += await removeAll(world, earlierOf(upTo, lived[0]?.at ?? cut));
        removed += await removeAll(world, upTo);
        await projected(world, live);
        for (const { at, contents } of lived.filter(({ at }) => at >= upTo)) {
          expect(await built(world, at)).toEqual(contents);
          const copy = await copied(world, live, at);
          if (copy === undefined) continue;
          copies++;
          expect(copy).toEqual(contents);
        }
        expect(await contentsOf(live)).toEqual(lived.at(-1)?.contents);
        const rebuilt = await projected(world, emptyDisk());
        expect(await contentsOf(rebuilt)).toEqual(lived.at(-1)?.contents);
        expect(await rowsOf(rebuilt)).toEqual(await rowsOf(live));
      }),
      { numRuns: 100 },
    );
    expect(removed).toBeGreaterThan(15);
    expect(copies).toBeGreaterThan(15);
  });
});

describe('Removing the history of a document', () => {
  const versionsOf = async (world: OneScope, ...texts: readonly (readonly string[])[]): Promise<void> => {
    for (const of of texts) await world.scenario.indexed('a', { texts: of });
  };
  const eventsOf = async ({ log }: OneScope): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const { type } of log.readStream(documentStream(SCOPE.tenant, theDocument('a')))) found.push(type);
    return found;
  };

  it('leaves the current version, repeats what that has of earlier ones, and removes the rest', async () => {
    const world = await aScenario();
    await versionsOf(world, ['apple', 'berry'], ['apple', 'cherry']);
    expect(await removeAll(world, await world.log.head(), ['a'])).toBe(1);
    expect(await eventsOf(world)).toEqual([
      'DocumentSubmitted',
      'DocumentProcessingStarted',
      'KnowledgeChunkIndexed',
      'DocumentIndexed',
      'KnowledgeChunkIndexed',
      'DocumentHistoryRemoved',
    ]);
    expect(await removeAll(world, await world.log.head(), ['a'])).toBe(0);
  });

  it('can be interrupted anywhere: the next attempt completes it, and a rebuild has everything', async () => {
    for (let killAt = 1, killed = true; killed; killAt++) {
      const world = await aScenario();
      await versionsOf(world, ['apple', 'berry', 'cherry'], ['apple', 'berry', 'date']);
      const live = await contentsOf(await projected(world, emptyDisk()));
      let calls = 0;
      const { log } = world;
      const call = <Args extends unknown[], R>(real: (...args: Args) => Promise<R>) => {
        return async (...args: Args): Promise<R> => {
          if (++calls === killAt) throw new Error('killed');
          return real(...args);
        };
      };
      const [append, truncate] = [log.append.bind(log), log.truncate.bind(log)];
      log.append = call(append);
      log.truncate = call(truncate);
      const head = await log.head();
      killed = await removeAll(world, head, ['a']).then(
        () => false,
        () => true,
      );
      [log.append, log.truncate] = [append, truncate];
      expect(await removeAll(world, head, ['a'])).toBe(killed ? 1 : 0);
      expect((await eventsOf(world))[0]).toBe('DocumentSubmitted');
      expect([killAt, await contentsOf(await projected(world, emptyDisk()))]).toEqual([killAt, live]);
      if (!killed) expect(calls).toBeGreaterThan(2);
    }
  });

  it('leaves nothing of a deleted document but its deletion', async () => {
    const world = await aScenario();
    await versionsOf(world, ['apple'], ['berry']);
    await world.scenario.deleted('a');
    await removeAll(world, await world.log.head(), ['a']);
    expect(await eventsOf(world)).toEqual(['DocumentDeleted', 'DocumentHistoryRemoved']);
  });

  it('leaves a version that is being processed alone', async () => {
    const world = await aScenario();
    await versionsOf(world, ['apple'], ['berry']);
    await world.scenario.submitted('a', { texts: ['apple'] });
    expect(await removeAll(world, await world.log.head(), ['a'])).toBe(0);
    await world.scenario.processed('a', { texts: ['apple'] });
    await world.scenario.completed('a', { texts: ['apple'] });
    expect(await removeAll(world, await world.log.head(), ['a'])).toBe(1);
  });

  it('makes a document that comes back record its chunks again', async () => {
    const world = await aScenario();
    await versionsOf(world, ['apple'], ['berry']);
    await removeAll(world, await world.log.head(), ['a']);
    await versionsOf(world, ['apple']);
    const [live, again] = [await projected(world, emptyDisk()), await projected(world, emptyDisk())];
    expect(await contentsOf(live)).toEqual(await contentsOf(again));
    expect((await contentsOf(live)).some((row) => row.startsWith('["lexical"'))).toBe(true);
  });

  it('makes read models that stopped before it build everything again', async () => {
    const world = await aScenario();
    await versionsOf(world, ['apple'], ['berry']);
    const disk = await projected(world, emptyDisk());
    await versionsOf(world, ['cherry'], ['apple']);
    await removeAll(world, await world.log.head(), ['a']);
    const late = aProcess(world, disk);
    late.runner.start();
    await late.settled();
    await late.runner.stop();
    expect(await contentsOf(disk)).toEqual(await contentsOf(await projected(world, emptyDisk())));
  });

  it('leaves nothing out of indexes that stopped before a kept chunk got its vector', async () => {
    const world = await aScenario();
    await world.scenario.indexed('a', { texts: ['apple'], models: MODELS.slice(1, 2) });
    const stopped = await projected(world, emptyDisk());
    await versionsOf(world, ['apple', 'berry']);
    expect(await removeAll(world, await world.log.head(), ['a'])).toBe(1);
    await versionsOf(world, ['apple', 'berry', 'cherry']);
    const expected = await contentsOf(await projected(world, emptyDisk()));
    expect(await contentsOf(await projected(world, stopped, 1))).toEqual(expected);
  });

  it('leaves nothing of what it removed in read models that stopped before it and lost an index in a power cut', async () => {
    const world = await World.begin();
    const apply = (place: number, step: WorldStep['step']): Promise<void> => world.apply({ place, step, aboutPerson: false, wait: false });
    // Nothing in this scope has a vector of the current model: its empty partition is lost in a power cut.
    await apply(1, { do: 'index', name: 'a', contents: { texts: ['apple'], models: MODELS.slice(1, 2) } });
    await apply(0, { do: 'index', name: 'a', contents: { texts: ['apple'] } });
    const stopped = await projected(world, emptyDisk(), 1);
    await apply(0, { do: 'delete', name: 'a' });
    await apply(0, { do: 'index', name: 'a', contents: { texts: ['cedar'] } });
    await apply(0, { do: 'remove history', quarters: 4 });
    const expected = await contentsOf(await projected(world, emptyDisk()));
    expect(await contentsOf(await projected(world, afterThe('power cut', stopped), 1))).toEqual(expected);
  });

  it('is noticed by a view that is built at the same time', async () => {
    const world = await aScenario();
    await versionsOf(world, ['apple'], ['berry']);
    const [journal, began] = [aJournal(world.log, world.keys), await world.log.head()];
    await expect(refuseIncomplete(journal, began, SCOPE.tenant)).resolves.toBeUndefined();
    await removeAll(world, began, ['a']);
    await expect(refuseIncomplete(journal, began, SCOPE.tenant)).rejects.toMatchObject({ code: 'NotCaughtUp' });
    await expect(refuseIncomplete(journal, START)).rejects.toMatchObject({ code: 'NotCaughtUp' });
  });
});
