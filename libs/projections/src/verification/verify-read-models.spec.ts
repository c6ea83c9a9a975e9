import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import { DEFAULT_CHUNK_LIST, generationId, knowledgeBaseId, tenantId, vectorScope, type VectorScope } from '@palimpsest/knowledge/values';
import { InMemoryScopeKeys } from '@palimpsest/test-kit';
import { aProcess, aScenario, DIGESTS, emptyDisk, projected, type Disk } from '../../test/fixture.ts';
import { MODELS, SCOPE, Scenario, theChunk, theDocument } from '@palimpsest/test-kit/histories';
import { VerifyReadModels, type CheckKeyFiles } from './verify-read-models.ts';

const G1: IndexPartition = { scope: SCOPE, generation: generationId('g1') };
const BLUE = vectorScope('team:blue');
const where = { tenant: 'acme', scope: 'team:red' };
const apple = theChunk('a', 'apple');

/** Verifies read models that agreed with the log before `harm` changed them. */
const afterHarm = async (harm: (disk: Disk, scenario: Scenario) => Promise<void>) => {
  const world = await aScenario();
  await world.scenario.indexed('a', { texts: ['apple', 'berry'] });
  const disk = await projected(world, emptyDisk());
  let cleaned: () => void = () => {};
  const cleanup = new Promise<void>((resolve) => (cleaned = resolve));
  const process = aProcess(world, disk, { checkIndexes: async () => cleaned() });
  process.runner.start();
  // Orphans that the start drops are not the subject of `verify`.
  await cleanup;
  await harm(disk, world.scenario);
  const verification = await new VerifyReadModels(process.stores, process.runner, DIGESTS).run();
  await process.runner.stop();
  return verification;
};

/** A position after the end of the log, as a writer other than the projection might use. */
const LATER = 1_000_000n as never;
const vector = (first: number) => Float32Array.from({ length: 8 }, (_, i) => (i === first ? 1 : 0));

describe('Verify', () => {
  it('finds that one of several vectors of a chunk is missing or different', async () => {
    const harmed = (change: (further: readonly Float32Array[]) => readonly Float32Array[]) =>
      afterHarm(async ({ vectors }) => {
        const [held] = vectors.puts(G1).filter(({ chunkId }) => chunkId === apple);
        if (held?.further === undefined) throw new Error('the chunk has one vector');
        await vectors.apply(G1, [{ ...held, further: change(held.further) }], LATER);
      });
    expect((await harmed((further) => further)).differences).toEqual([]);
    for (const change of [
      (further: readonly Float32Array[]) => further.slice(1),
      (further: readonly Float32Array[]) => [...further.slice(1), vector(0)],
    ])
      expect((await harmed(change)).differences).toEqual([
        { store: 'vectors', kind: 'different', chunkId: apple, generation: 'g1', ...where },
      ]);
  });

  it('finds no differences in correct read models, and reports what it compared', async () => {
    const verification = await afterHarm(async () => {});
    expect(verification).toMatchObject({ clean: true, differences: [], partitions: [{ ...where, generation: 'g1', chunks: 2 }] });
    expect(verification.partitions[0]?.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  });

  it('gives equal partitions equal fingerprints, and different ones different fingerprints', async () => {
    const [one, same, other] = [
      await afterHarm(async () => {}),
      await afterHarm(async () => {}),
      await afterHarm((_, scenario) => scenario.indexed('a', { texts: ['apple', 'cedar'] })),
    ];
    expect(one.partitions[0]?.fingerprint).toBe(same.partitions[0]?.fingerprint);
    expect(one.partitions[0]?.fingerprint).not.toBe(other.partitions[0]?.fingerprint);
  });

  it('lists partitions by scope and generation, regardless of the order of indexing', async () => {
    const [, second = MODELS[0]] = MODELS;
    const partitionsAfter = async (order: readonly VectorScope[]) => {
      const { log, keys, scenario } = await aScenario();
      const scenarios = new Map(
        [SCOPE.scope, BLUE].map((scope) => [scope, scope === BLUE ? new Scenario(log, keys, { ...SCOPE, scope }) : scenario]),
      );
      await scenarios.get(BLUE)?.begin();
      for (const scope of order) {
        await scenarios.get(scope)?.indexed(`of ${scope}`, { texts: ['apple', 'berry'] });
        await scenarios.get(scope)?.generationStarted(second);
        await scenarios.get(scope)?.reembedded(`of ${scope}`);
      }
      const process = aProcess({ log, keys }, emptyDisk());
      process.runner.start();
      const { partitions, differences } = await new VerifyReadModels(process.stores, process.runner, DIGESTS).run();
      await process.runner.stop();
      expect(differences).toEqual([]);
      return partitions;
    };
    const found = await partitionsAfter([SCOPE.scope, BLUE]);
    expect(found.map(({ scope, generation }) => `${scope} ${generation}`)).toEqual([
      'team:blue g1',
      'team:blue g2',
      'team:red g1',
      'team:red g2',
    ]);
    expect(await partitionsAfter([BLUE, SCOPE.scope])).toEqual(found);
  });

  it.each(['vectors', 'lexical'] as const)('finds a chunk that is missing in %s', async (store) => {
    const verification = await afterHarm(async (disk) => disk[store].apply(G1, [{ write: 'remove', chunkId: apple }], LATER));
    expect(verification).toMatchObject({
      clean: false,
      differences: [{ ...where, store, generation: 'g1', kind: 'missing', chunkId: apple }],
    });
  });

  it.each(['vectors', 'lexical'] as const)('finds an extra chunk in %s, in a known and in an unknown partition', async (store) => {
    const stray = theChunk('z', 'stray');
    const elsewhere: IndexPartition = {
      scope: { tenant: tenantId('other'), scope: vectorScope('platform') },
      generation: generationId('g7'),
    };
    const verification = await afterHarm(async ({ vectors, lexical }) => {
      for (const partition of [G1, elsewhere]) {
        if (store === 'vectors')
          await vectors.apply(partition, [{ write: 'put', chunkId: stray, vector: vector(0), attributes: {} }], LATER);
        else await lexical.apply(partition, [{ write: 'put', chunkId: stray, text: 'stray', language: 'en', attributes: {} }], LATER);
      }
    });
    expect(verification.differences).toEqual([
      { ...where, store, generation: 'g1', kind: 'extra', chunkId: stray },
      { tenant: 'other', scope: 'platform', store, generation: 'g7', kind: 'extra', chunkId: stray },
    ]);
  });

  it('finds a changed vector and a changed text', async () => {
    const { differences } = await afterHarm(async ({ vectors, lexical }) => {
      await vectors.apply(G1, [{ write: 'put', chunkId: apple, vector: vector(3), attributes: {} }], LATER);
      await lexical.apply(G1, [{ write: 'put', chunkId: apple, text: 'pear', language: 'en', attributes: {} }], LATER);
    });
    expect(differences).toEqual(
      ['vectors', 'lexical'].map((store) => ({ ...where, store, generation: 'g1', kind: 'different', chunkId: apple })),
    );
  });

  it('finds chunks that are missing, extra or different in the catalog', async () => {
    const at = '2026-01-01T00:00:00Z';
    const [berry, stray] = [theChunk('a', 'berry'), theChunk('z', 'stray')];
    const place = { start: 0, end: 1, fromLine: 1, toLine: 1 };
    const content = { contentHash: 'f'.repeat(64) as never, sealedText: Uint8Array.of(1), language: 'en' };
    const { differences } = await afterHarm(async ({ catalog }) => {
      const indexed = {
        change: 'document-indexed' as const,
        ...SCOPE,
        documentId: theDocument('a'),
        version: 1,
        chunkList: DEFAULT_CHUNK_LIST,
        title: 'a',
        mediaType: 'text/plain',
        language: 'en',
        chunkingVersion: 'markdown@1' as never,
        labels: {},
        origin: 'UserContent' as const,
        metadata: {},
        failedChunks: 0,
        warnings: [],
        at,
      };
      const chunks = [berry, stray].map((chunkId) => ({ ...place, chunkId }));
      await catalog.apply([{ ...indexed, chunks, contents: chunks.map(({ chunkId }) => ({ ...content, chunkId })) }], LATER);
    });
    const found = differences.map(({ store, kind, chunkId, row = chunkId }) => `${store} ${kind} ${row}`).sort();
    expect(found).toEqual(
      [
        `catalog different ${berry}`,
        `catalog different chunk lists ${theDocument('a')}/default`,
        `catalog different documents ${theDocument('a')}`,
        `catalog extra ${stray}`,
        `catalog missing ${apple}`,
      ].sort(),
    );
  });

  it('finds a document that differs from the log, and a knowledge base that is not on the log', async () => {
    const { clean, differences } = await afterHarm(async ({ catalog }) => {
      await catalog.apply(
        [
          {
            change: 'knowledge-base-created',
            ...SCOPE,
            id: knowledgeBaseId('unknown'),
            settings: { name: 'Unknown', description: '', chunking: {} as never },
            at: '2026-01-01T00:00:00Z',
          },
          {
            change: 'document-failed',
            tenant: SCOPE.tenant,
            documentId: theDocument('a'),
            version: 1,
            reason: 'corrupt',
            detail: 'It was not.',
            at: '2026-01-01T00:00:00Z',
          },
        ],
        LATER,
      );
    });
    expect(clean).toBe(false);
    expect(differences).toEqual([
      { ...where, store: 'catalog', kind: 'extra', row: 'knowledge bases unknown' },
      { ...where, store: 'catalog', kind: 'different', row: `documents ${theDocument('a')}` },
    ]);
  });

  it('expects no data of a retired generation, and finds leftovers', async () => {
    const [, second = MODELS[0]] = MODELS;
    const { differences } = await afterHarm(async (_, scenario) => {
      await scenario.generationStarted(second);
      await scenario.reembedded('a');
      const [g1, g2] = await scenario.generations();
      await scenario.scope({ type: 'Activate', generation: g2?.id as never });
      await scenario.scope({ type: 'Retire', generation: g1?.id as never });
    });
    expect(differences).toEqual([]);
    const left = await afterHarm(async ({ vectors }) =>
      vectors.apply(
        { ...G1, generation: generationId('g9') },
        [{ write: 'put', chunkId: apple, vector: vector(1), attributes: {} }],
        LATER,
      ),
    );
    expect(left.differences).toEqual([{ ...where, store: 'vectors', generation: 'g9', kind: 'extra', chunkId: apple }]);
  });
});

describe('Verify, beyond the read models', () => {
  const verified = async (more: Partial<Pick<ReturnType<typeof aProcess>['stores'], 'keys'>>, checkKeyFiles?: CheckKeyFiles) => {
    const world = await aScenario();
    await world.scenario.indexed('a', { texts: ['apple'] });
    const process = aProcess(world, emptyDisk());
    process.runner.start();
    await process.settled();
    const verification = await new VerifyReadModels(
      { ...process.stores, ...more },
      process.runner,
      DIGESTS,
      checkKeyFiles && { checkKeyFiles },
    ).run();
    await process.runner.stop();
    return verification;
  };
  const keysThatMiss = (scope: string): ScopeKeys => ({
    cipher: () => Promise.reject(new Error('not asked')),
    destroy: async () => undefined,
    destroyed: async function* () {},
    subjects: new InMemoryScopeKeys().subjects,
    check: async (needed = []) => needed.filter((each) => each.scope === scope).map(() => `the key of scope "${scope}" is missing`),
  });

  it('requires the key of every scope with documents, and compares nothing without it', async () => {
    expect(await verified({ keys: keysThatMiss('team:red') })).toMatchObject({
      clean: false,
      partitions: [],
      differences: [],
      keyDamage: ['the key of scope "team:red" is missing'],
    });
  });

  it('is not clean when a key file is damaged, but still compares', async () => {
    expect(await verified({}, async () => ['the master key file was replaced'])).toMatchObject({
      clean: false,
      partitions: [{ chunks: 1 }],
      differences: [],
      keyDamage: ['the master key file was replaced'],
      uploadDamage: [],
    });
  });
});
