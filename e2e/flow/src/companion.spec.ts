import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';

const STAND_IN = 'openai:stand-in/64';
const TEXTS = {
  one: 'The harbour has a berth for cargo.',
  two: 'The harbour has a keeper.',
  three: 'Behind the harbour is a gate.',
};

describe('a companion of a scope', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const start = async () =>
    void (platform = await PlatformUnderTest.start(data, {
      ...standIn.settings(),
      PALIMPSEST_RERANKER: 'companion',
      PALIMPSEST_RERANKER_MS: '20000',
    }));
  const search = (over: object = {}) => platform.client.search({ query: 'harbour berth', strategy: 'DenseSparseRerank', ...over });
  const statuses = async () => (await platform.client.swaps.get('deployment')).generations.map(({ status }) => status);

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    // The scope is opened with the model that is built in.
    const first = await PlatformUnderTest.start(data);
    for (const [name, text] of Object.entries(TEXTS)) await submitText(first.client, { sourceId: `${name}.md`, text });
    await first.client.tenants.setLimits('default', { overrides: { recordQueries: true } });
    expect((await first.stop()).code).toBe(0);
    await start();
  });

  it('is missed by a search until it is built', async () => {
    const { hits, reranked } = await search();
    expect(hits).toHaveLength(3);
    expect(reranked).toMatchObject({ outcome: 'skipped', reason: 'no searched scope has a companion for its chunks' });
  });

  it('is built alongside, and reranks without another embedding of documents', async () => {
    await platform.client.swaps.start('deployment', { embeddingVersion: STAND_IN, cutover: 'companion' });
    await eventually('the companion is built', async () => (await statuses()).includes('companion') || undefined, 120_000);
    expect(await statuses()).toEqual(['active', 'companion']);
    // On services, another process searches.
    await eventually('searches use it', async () => (await search()).reranked?.outcome === 'blended' || undefined);
    const asked = await standIn.askedDuring(async () => {
      const { reranked, hits } = await search({ query: 'cargo berth', explain: true });
      expect(reranked).toMatchObject({ reranker: STAND_IN, outcome: 'blended', candidates: 3 });
      expect(reranked).not.toHaveProperty('unscored');
      expect(hits[0]).toMatchObject({ source: 'one.md', explain: { stages: { rerank: { rank: 1 } } } });
    });
    expect(asked).toEqual(['cargo berth']);
  });

  it('gets new documents and loses deleted ones, across a kill', async () => {
    await submitText(platform.client, { sourceId: 'four.md', text: 'A berth of the harbour is in the north.' });
    expect((await search()).reranked).toMatchObject({ outcome: 'blended', candidates: 4 });
    await platform.kill();
    await start();
    const { hits, reranked } = await search();
    expect(reranked).toMatchObject({ outcome: 'blended', candidates: 4 });
    expect(reranked).not.toHaveProperty('unscored');
    await platform.client.documents.remove(hits.find(({ source }) => source === 'four.md')?.documentId ?? '');
    expect((await search()).reranked).toMatchObject({ outcome: 'blended', candidates: 3 });
    const { clean, partitions } = await platform.client.operations.verify();
    expect(clean).toBe(true);
    expect(partitions.filter(({ generation }) => generation === 'g2').length).toBeGreaterThan(0);
  });

  it('answers a recorded search again to the last bit', async () => {
    const { traceId } = await search();
    const replay = await eventually('the record is on the log', () => platform.client.retrievals.replay(traceId).catch(() => undefined));
    // On services, vectors of the past are searched by another index than live ones, and the replay says so.
    expect(DISTRIBUTED || replay.identical).toBe(true);
    expect(replay.sameHits).toBe(true);
  });

  it('is of one tenant: the same scope of another one has none', async () => {
    const { key } = await platform.client.operations.createApiKey({ name: 'other', tenant: 'other', teams: ['*'], roles: ['admin'] });
    const other = platform.as(key);
    await submitText(other, { sourceId: 'theirs.md', text: 'The harbour of the other tenant.' });
    const { hits, reranked } = await other.search({ query: 'harbour berth', strategy: 'DenseSparseRerank' });
    expect(hits.map(({ source }) => source)).toEqual(['theirs.md']);
    expect(reranked).toMatchObject({ outcome: 'skipped', reason: 'no searched scope has a companion for its chunks' });
  });

  it('is never cut over to, and frees its index when it is retired', async () => {
    await expect(platform.client.swaps.cutOver('deployment')).rejects.toMatchObject({ status: 409 });
    expect((await platform.client.swaps.retire('deployment')).generations.map(({ status }) => status)).toEqual(['active', 'retired']);
    await eventually('searches do without it', async () => (await search()).reranked?.outcome === 'skipped' || undefined);
  });
});
