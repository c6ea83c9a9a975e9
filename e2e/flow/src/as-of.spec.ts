import type { Hit, PalimpsestClient } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';

const BUILT_IN = 'onnx:all-minilm-l6-v2-int8/384';
const QUERIES = ['which berths are free in the harbour', 'Kontor lighthouse keeper', 'storm warning of the north pier'];
const LATER = DISTRIBUTED ? 20 : 60;
const STRATEGIES = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] as const;

/** Services keep live vectors in Qdrant, whose sums of float32 values have another order. The spread of all scores comes from a sample, which may be some seconds old. */
const scoreOf = (score: number): number => (DISTRIBUTED ? 0 : score);
const shown = ({ chunkId, source, title, text, score, relevance, labels }: Hit) => ({
  ...{ chunkId, source, title, text, labels },
  score: scoreOf(score),
  relevance: scoreOf(relevance),
});

/** On services, passages of nearly the same score may change places, except in searches by words. */
const comparable = (hits: readonly Hit[], strategy: string): readonly Hit[] =>
  DISTRIBUTED && strategy !== 'SparseOnly' ? hits.slice(0, 2) : hits;

/** All that a caller can read, now or at a moment. */
const lookAt = async (client: PalimpsestClient, asOf?: string) => {
  const at = asOf === undefined ? {} : { asOf };
  const hits = [];
  for (const query of QUERIES)
    for (const strategy of STRATEGIES)
      hits.push(comparable((await client.search({ query, strategy, topK: 8, ...at })).hits, strategy).map(shown));
  const { text, fence, citations } = await client.context({ query: QUERIES[0] ?? '', maxTokens: 500, ...at });
  const documents = [];
  const chunks = [];
  for await (const document of client.documents.listAll(at)) {
    documents.push(document);
    chunks.push((await client.documents.chunks(document.documentId, at)).chunks);
    const { asOf: _moment, ...details } = await client.documents.get(document.documentId, at);
    documents.push(details);
  }
  const knowledgeBases = await client.knowledgeBases.list(at);
  return {
    hits,
    context: DISTRIBUTED ? [] : [text.replaceAll(fence, ''), citations.map(({ chunkId }) => chunkId)],
    documents,
    chunks,
    knowledgeBases,
  };
};

type Moment = Readonly<{ what: string; position: string; time: string; seen: Awaited<ReturnType<typeof lookAt>> }>;

describe('a moment in the past', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const moments: Moment[] = [];
  const start = async (): Promise<void> => void (platform = await PlatformUnderTest.start(data, standIn.settings()));
  const submit = (source: string, text: string, more: object = {}) => submitText(platform.client, { sourceId: source, text, ...more });

  /** Keeps what is seen now. */
  const keep = async (what: string): Promise<void> => {
    // A document is searched before the words of its previous version are removed; a position is reached after it.
    const [newest] = (await platform.client.events.list({ limit: 1 })).events;
    if (newest) await platform.client.search({ query: 'harbour', atLeast: newest.position });
    const seen = await lookAt(platform.client);
    const { position } = await platform.client.search({ query: 'harbour', topK: 1 });
    const time = new Date().toISOString();
    moments.push({ what, position, time, seen });
    while (new Date().toISOString() <= time) await new Promise((resolve) => setTimeout(resolve, 1));
  };

  /** From what the read models of moments were made, since the start. */
  const madeFrom = async (): Promise<Readonly<Record<'copy' | 'log', number>>> => {
    const metrics = await (await fetch(`${platform.url}/metrics`)).text();
    const count = (from: string): number =>
      Number(new RegExp(`^palimpsest_past_views_total\\{.*made_from="${from}".*\\} (\\d+)$`, 'm').exec(metrics)?.[1]);
    return { copy: count('copy'), log: count('log') };
  };

  const expectAsBefore = async (order: readonly Moment[], by: 'position' | 'time'): Promise<void> => {
    for (const moment of order)
      expect({ what: moment.what, seen: await lookAt(platform.client, moment[by]) }).toEqual({ what: moment.what, seen: moment.seen });
  };

  beforeAll(async () => {
    [data, standIn] = [await aDataFolder(), await EmbeddingStandIn.open()];
    await start();
    const { client } = platform;
    await keep('an empty platform');
    await submit('berths.md', '# Berths\n\nSeven berths are free in the harbour.', { labels: { pier: 'north' } });
    await submit('keeper.md', '# Lighthouse\n\nThe keeper of the lighthouse lives in the Kontor.');
    await keep('two documents');
    await submit('berths.md', '# Berths\n\nNo berth is free. The storm took the north pier.', { labels: { pier: 'none' } });
    await keep('a changed document');
    await client.knowledgeBases.create({ id: 'team-red', scope: 'team:red', name: 'Red', language: 'de' });
    await submit('red.md', 'Das Kontor der roten Mannschaft liegt am Hafen.', { knowledgeBase: 'team-red' });
    for (let n = 1; n <= 12; n++) await submit(`log-${n}.md`, `Entry ${n}: a storm warning was given at the north pier, berth ${n}.`);
    await keep('another scope, and other statistics');
    const { documents } = await client.documents.list({ source: 'keeper.md' });
    await client.documents.remove(documents[0]?.documentId ?? '');
    await client.knowledgeBases.update('team-red', { name: 'Red team', language: 'en' });
    await keep('a deleted document, and changed settings');
    await client.swaps.start('deployment', { embeddingVersion: BUILT_IN });
    const active = async () => (await client.swaps.get('deployment')).generations.find(({ status }) => status === 'active');
    await eventually('the other model serves', async () => (await active())?.embeddingVersion === BUILT_IN || undefined);
    await keep('another model');
  });

  afterAll(async () => {
    await platform.stop();
  });

  it('is shown as it was, by position and by time, to the last bit', async () => {
    await expectAsBefore(moments, 'position');
    await expectAsBefore(moments.toReversed(), 'time');
  });

  it('is shown as it was after a rebuild, a kill and a restart', async () => {
    if (!DISTRIBUTED) await platform.client.operations.rebuild();
    await platform.kill();
    await start();
    await expectAsBefore(moments.toReversed(), 'position');
  });

  it('leaves no retrieval record', async () => {
    const newest = async (limit: number) =>
      (await platform.client.events.list({ types: ['KnowledgeRetrieved'], limit })).events.map(({ data }) => data?.['traceId']);
    const recorded = ({ traceId }: Readonly<{ traceId: string }>) =>
      eventually('the retrieval is recorded', async () => (await newest(1))[0] === traceId || undefined);
    const before = await platform.client.search({ query: 'harbour' });
    await recorded(before);
    for (const { position } of moments) await platform.client.search({ query: 'harbour', asOf: position });
    const after = await platform.client.search({ query: 'harbour' });
    await recorded(after);
    expect(await newest(2)).toEqual([after.traceId, before.traceId]);
  });

  it('says what did not exist yet, and refuses what does not exist at all', async () => {
    const [empty, two] = moments as [Moment, Moment];
    const before = await platform.client.search({ query: 'Kontor', scopes: ['team:red'], asOf: two.position });
    expect(before).toMatchObject({
      hits: [],
      position: two.position,
      asOf: { position: two.position, notYet: [{ kind: 'scope', id: 'team:red', detail: expect.stringContaining('did not exist yet') }] },
    });
    const list = await platform.client.documents.list({ knowledgeBase: 'team-red', asOf: two.time });
    expect(list).toMatchObject({
      documents: [],
      asOf: { time: two.time, notYet: [{ id: 'team:red' }, { kind: 'knowledgeBase', id: 'team-red' }] },
    });
    const all = await platform.client.search({ query: 'harbour', asOf: '2001-01-01T00:00:00Z' });
    expect(all).toMatchObject({ hits: [], asOf: { position: '0', notYet: [{ kind: 'scope' }, { kind: 'scope' }] } });
    const of = (json: object) => platform.ask('POST /v1/search', { json: { query: 'harbour', asOf: empty.position, ...json } });
    expectProblem(await of({ scopes: ['team:none'] }), 404, 'NotFound');
    expectProblem(await of({ knowledgeBases: ['none'] }), 404, 'NotFound');
    expectProblem(await platform.ask(`GET /v1/knowledge-bases/team-red?asOf=${two.position}`), 404, 'NotFound');
  });

  it('must be in the past, and must be a position or a time', async () => {
    const tomorrow = encodeURIComponent(new Date(Date.now() + 86_400_000).toISOString());
    for (const asOf of [tomorrow, '99999999999999999', '99999999999999999999', '2026-11-20', 'yesterday', '2026-02-30T00:00:00Z', '-1'])
      for (const path of ['/v1/documents', '/v1/knowledge-bases', `/v1/documents/${'0'.repeat(32)}/chunks`])
        expectProblem(await platform.ask(`GET ${path}?asOf=${asOf}`), 400, 'InvalidValue', { field: /^asOf$/ });
    for (const path of ['/v1/search', '/v1/context'])
      for (const asOf of ['99999999999999999', 'yesterday', 17])
        expectProblem(await platform.ask(`POST ${path}`, { json: { query: 'harbour', asOf } }), 400, 'InvalidValue', { field: /^asOf$/ });
  });

  it('is shown with the rights of today: nothing of another team or tenant', async () => {
    const last = moments.at(-1) as Moment;
    const { key: blue } = await platform.client.operations.createApiKey({ name: 'blue', teams: ['blue'], roles: ['reader'] });
    const { key: stranger } = await platform.client.operations.createApiKey({
      name: 'stranger',
      tenant: 'stranger',
      teams: ['*'],
      roles: ['reader'],
    });
    const [ofBlue, ofStranger] = [platform.as(blue), platform.as(stranger)];
    const seen = await lookAt(ofBlue, last.position);
    expect(JSON.stringify(seen)).toContain('No berth is free');
    expect(JSON.stringify(seen)).not.toContain('roten Mannschaft');
    expectProblem(
      await platform.ask('POST /v1/search', { key: blue, json: { query: 'x', scopes: ['team:red'], asOf: last.position } }),
      404,
      'NotFound',
    );
    const other = await lookAt(ofStranger, last.position);
    expect([other.hits.flat(), other.documents, other.chunks, other.knowledgeBases]).toEqual([[], [], [], []]);
    const [document] = last.seen.documents;
    expectProblem(
      await platform.ask(`GET /v1/documents/${document?.documentId}?asOf=${last.position}`, { key: stranger }),
      404,
      'NotFound',
    );
  });

  it('has the best passages of its time, however many similar ones came later', async () => {
    await submit('note.md', 'The buoy at the reef was painted red.');
    const { position } = await platform.client.search({ query: 'buoy' });
    const filter = { eq: { field: 'label.kind', value: 'note' } };
    for (let n = 1; n <= LATER; n++)
      await submit(`later-${n}.md`, `The buoy at the reef was painted red, note ${n}.`, { labels: { kind: 'note' } });
    await submit('note.md', 'The buoy at the reef was painted green.', { labels: { kind: 'note' } });
    for (const strategy of STRATEGIES) {
      const ask = { query: 'The buoy at the reef was painted red', strategy, topK: 1, asOf: position };
      const { hits } = await platform.client.search(ask);
      expect(hits.map(({ source, text }) => [source, text])).toEqual([['note.md', 'The buoy at the reef was painted red.']]);
      expect((await platform.client.search({ ...ask, filter })).hits).toEqual([]);
    }
  });

  it('is made from a copy of the live read models where only documents changed since', async () => {
    await submit('ebb.md', 'The ebb begins at six.');
    const before = await lookAt(platform.client);
    const { position } = await platform.client.search({ query: 'ebb' });
    await submit('ebb.md', 'The ebb begins at seven.');
    // It has made nothing yet.
    await platform.kill();
    await start();
    expect(await lookAt(platform.client, position)).toEqual(before);
    // Services have no live indexes that could be copied.
    if (!DISTRIBUTED) expect(await madeFrom()).toEqual({ copy: 1, log: 0 });
  });
});
