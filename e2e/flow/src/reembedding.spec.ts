import type { ReembedProgress } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { accepted, submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { recordedEvents } from '@palimpsest/e2e-support/recorded-events';

const TEXTS = [
  'The lighthouse keeper trims the lamp.',
  'Bread is baked before dawn.',
  'A river bends around the old mill.',
  'The astronomer counts distant stars.',
  'Wool is spun into yarn by hand.',
];

describe('a scope that moves to another model', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;

  const finished = (): Promise<ReembedProgress> =>
    eventually('the scope is re-embedded', async () => {
      const progress = await platform.client.operations.reembedProgress('deployment');
      // The switch is on the log; `done` counts in the read models, which may lag for a moment.
      return progress.state === 'idle' && progress.done === progress.total ? progress : undefined;
    });
  const best = async (query: string) => (await platform.client.search({ query, strategy: 'DenseOnly' })).hits[0]?.source;

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    const first = await PlatformUnderTest.start(data);
    for (const [i, text] of TEXTS.entries()) await submitText(first.client, { sourceId: `${i}.md`, text });
    expect((await first.stop()).code).toBe(0);
    platform = await PlatformUnderTest.start(data, standIn.settings());
  });

  it('is searched with the model of its vectors until a re-embedding is requested', async () => {
    expect((await platform.client.operations.status()).models).toEqual({
      current: 'openai:stand-in/64',
      available: ['openai:stand-in/64', 'onnx:all-minilm-l6-v2-int8/384'],
    });
    expect(await standIn.askedDuring(async () => expect(await best('who looks after the beacon by the sea?')).toBe('0.md'))).toEqual([]);
    await submitText(platform.client, { sourceId: 'new.md', text: 'Goats climb steep mountains.' });
    expect(standIn.texts).toEqual([]);
  });

  it('can be searched and accepts documents during the re-embedding; then it switches', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const reached = new Promise<void>((asked) => (standIn.beforeAnswer = () => (asked(), held)));
    const started = await platform.ask('POST /v1/scopes/deployment/reembed');
    expect(started).toMatchObject({
      status: 202,
      json: {
        generation: 'g2',
        embeddingVersion: 'openai:stand-in/64',
        status: 'building',
        documents: TEXTS.length + 1,
        position: expect.stringMatching(/^\d+$/),
      },
    });
    await reached;
    expect(await platform.client.operations.reembedProgress('deployment')).toMatchObject({
      generation: 'g2',
      state: 'building',
      total: TEXTS.length + 1,
      done: 0,
    });
    expect(await best('who looks after the beacon by the sea?')).toBe('0.md');
    const submitting = submitText(platform.client, { sourceId: 'during.md', text: 'Salt dries in shallow ponds.' });
    release();
    standIn.beforeAnswer = () => Promise.resolve();
    expect((await submitting).document.status).toBe('indexed');
    expect(await finished()).toMatchObject({ generation: 'g2', total: TEXTS.length + 2, done: TEXTS.length + 2 });
    for (const text of TEXTS) expect(standIn.texts).toContain(text);
    const { scopes } = await platform.client.operations.status();
    expect(scopes.find(({ scope }) => scope === 'deployment')?.generations).toEqual([
      { generation: 'g1', embeddingVersion: 'onnx:all-minilm-l6-v2-int8/384', status: 'standby' },
      { generation: 'g2', embeddingVersion: 'openai:stand-in/64', status: 'active' },
    ]);
  });

  it('is searched with the new model afterwards, with complete results', async () => {
    const asked = await standIn.askedDuring(async () => expect(await best('The astronomer counts distant stars.')).toBe('3.md'));
    expect(asked).toEqual(['The astronomer counts distant stars.']);
    expect(await best('Salt dries in shallow ponds.')).toBe('during.md');
    expect((await platform.client.operations.verify()).clean).toBe(true);
  });

  it('has nothing to do when the re-embedding is requested again', async () => {
    const asked = await standIn.askedDuring(async () => {
      expect((await platform.ask('POST /v1/scopes/deployment/reembed')).json).toMatchObject({ generation: 'g2', status: 'active' });
      await finished();
    });
    expect(asked).toEqual([]);
  });

  it('has both generations rebuilt from the log', async () => {
    expect(await standIn.askedDuring(() => platform.client.operations.rebuild())).toEqual([]);
    expect(await platform.client.operations.verify()).toMatchObject({
      clean: true,
      partitions: [{ generation: 'g1' }, { generation: 'g2' }],
    });
    expect(await best('Salt dries in shallow ponds.')).toBe('during.md');
  });

  it('reports a missing model for its vectors, and loses nothing', async () => {
    await platform.stop();
    platform = await PlatformUnderTest.start(data, standIn.settings('another'));
    for (const route of ['POST /v1/search', 'POST /v1/context'])
      expect((await platform.ask(route, { json: { query: 'astronomer' } })).json).toMatchObject({
        [route.endsWith('search') ? 'hits' : 'citations']: [{ source: '3.md' }],
        lexicalOnly: [{ scope: 'deployment', embeddingVersion: 'openai:stand-in/64', detail: expect.stringContaining('by words only') }],
      });
    const dense = { json: { query: 'astronomer', strategy: 'DenseOnly' } };
    expectProblem(await platform.ask('POST /v1/search', dense), 409, 'EmbeddingModelMismatch');
    expect((await platform.ask('GET /health/rag')).json).toMatchObject({
      reasons: ['model-missing'],
      models: { missing: [{ embeddingVersion: 'openai:stand-in/64', scopes: 1 }] },
    });
    expect((await platform.client.operations.status()).scopes).toMatchObject([
      { scope: 'deployment', generations: [{ status: 'standby' }, { status: 'active', modelMissing: true }] },
    ]);
    expect((await platform.client.search({ query: 'astronomer', strategy: 'SparseOnly' })).hits.map(({ source }) => source)).toEqual([
      '3.md',
    ]);
    const [waiting] = accepted(
      await platform.client.documents.submitText({ sourceId: 'unembeddable.md', text: 'No model can embed this now.' }),
    );
    if (waiting === undefined) throw new Error('nothing was accepted');
    await eventually('the document waits for its model', async () =>
      (await platform.client.documents.get(waiting.documentId)).detail?.includes('openai:stand-in/64') === true ? true : undefined,
    );
    await platform.client.operations.reembed('deployment');
    expect(await finished()).toMatchObject({ generation: 'g3' });
    expect(await best('The astronomer counts distant stars.')).toBe('3.md');
    await platform.client.waitFor([waiting], { pollMs: 20 });
    expect(await best('No model can embed this now.')).toBe('unembeddable.md');
  });

  it('can have standby generations retired, but not the active one', async () => {
    const retire = (generation: string) => platform.ask(`POST /v1/scopes/deployment/generations/${generation}/retire`);
    expectProblem(await retire('g3'), 409, 'Conflict');
    expectProblem(await retire('g9'), 404, 'NotFound');
    expectProblem(await retire('first'), 400, 'InvalidValue', { field: 'generation' });
    expect((await retire('g1')).status).toBe(200);
    expect((await retire('g2')).status).toBe(200);
    expect(await platform.client.operations.verify()).toMatchObject({ clean: true, differences: [], partitions: [{ generation: 'g3' }] });
    expect(await best('The astronomer counts distant stars.')).toBe('3.md');
    expect(await standIn.askedDuring(() => platform.client.operations.rebuild())).toEqual([]);
    expect(await platform.client.operations.verify()).toMatchObject({ clean: true, partitions: [{ generation: 'g3' }] });
  });

  it('records the model and the source text of every vector on the log', async () => {
    expect((await platform.stop()).code).toBe(0);
    const events = await recordedEvents(data);
    const texts = new Set(events.filter(({ type }) => type === 'KnowledgeChunkIndexed').map(({ data }) => data['chunkId']));
    const again = events.filter(({ type }) => type === 'KnowledgeChunkReembedded');
    expect(again.length).toBeGreaterThanOrEqual(2 * TEXTS.length);
    for (const {
      data: { chunkId, madeFrom },
    } of again) {
      expect(texts).toContain(chunkId);
      expect(madeFrom).toEqual(expect.any(Number));
    }
    const pairs = again.map(({ data: { chunkId, embeddingVersion } }) => `${String(chunkId)} ${String(embeddingVersion)}`);
    expect(new Set(pairs).size).toBe(pairs.length);
  });
});
