import type { SwapView } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

const BUILT_IN = 'onnx:all-minilm-l6-v2-int8/384';
const STAND_IN = 'openai:stand-in/64';
const SMALL = { tokens: { maxTokens: 40 }, markdown: { maxChars: 200 } };
const DOCUMENTS = 20;
const HELD_AFTER = 12;
/** Characters of a text that is longer than a small chunk. */
const LONG = 250;
/** One chunk with the settings of the knowledge base, several small ones otherwise. */
const textOf = (n: number, name = `harbour${n}`): string =>
  Array.from({ length: 6 }, (_, part) => `Part ${part} of entry ${n} of the log book speaks of the ${name} and of ship${n}x${part}.`).join(
    '\n\n',
  );

/** Searches without a pause. Every answer must come from the document that was asked for, and from one generation. */
class Searcher {
  answers = 0;
  readonly failures: string[] = [];
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  constructor(platform: PlatformUnderTest) {
    this.#done = this.#run(platform);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #run({ client }: PlatformUnderTest): Promise<void> {
    for (let n = 2; !this.#stop.signal.aborted; n = n + 1 < DOCUMENTS ? n + 1 : 2) {
      try {
        const { hits } = await client.search({ query: `Which entry speaks of harbour${n} and ship${n}x3?` });
        this.answers++;
        const sizes = new Set(hits.filter(({ source }) => source === `${n}.md`).map(({ text }) => text.length > LONG));
        if (hits[0]?.source !== `${n}.md`) this.failures.push(`entry ${n}: found ${hits[0]?.source}`);
        if (sizes.size > 1) this.failures.push(`entry ${n}: chunks of both lists in one answer`);
      } catch (error) {
        this.failures.push(String(error));
      }
    }
  }
}

describe('a swap to another chunking', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const ids = new Map<string, string>();
  /** Chunks that the plan expects. */
  let planned = 0;
  const start = async (): Promise<void> => void (platform = await PlatformUnderTest.start(data, standIn.settings()));
  const swap = (): Promise<SwapView> => platform.client.swaps.get('deployment');
  const submit = async (sourceId: string, text: string): Promise<void> => {
    ids.set(sourceId, (await submitText(platform.client, { sourceId, text })).documentId);
  };
  const chunksOf = async (sourceId: string) =>
    (await platform.client.documents.chunks(ids.get(sourceId) ?? '', { limit: 100 })).chunks.map(({ text }) => text);
  const best = async (query: string) => (await platform.client.search({ query })).hits[0];
  const searched = async (work: () => Promise<unknown>): Promise<void> => {
    const searcher = new Searcher(platform);
    try {
      await work();
    } finally {
      await searcher.stop();
    }
    expect(searcher.failures).toEqual([]);
    expect(searcher.answers).toBeGreaterThan(0);
  };
  /** Texts that the swap sent to the new model; answers wait while `held` is set. */
  let held: Promise<void> | undefined;
  const sent = (): number => standIn.texts.filter((text) => text.includes('of the log book')).length;

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(data);
    for (let n = 0; n < DOCUMENTS; n++) await submit(`${n}.md`, textOf(n));
    expect((await platform.stop()).code).toBe(0);
    await start();
  });

  it('refuses settings and versions that do not exist, and names them', async () => {
    const ask = (json: unknown) => platform.ask('POST /v1/scopes/deployment/swap', { json });
    expectProblem(await ask({ chunking: { tokens: { maxTokens: 1 } } }), 400, 'InvalidValue', { field: 'chunking.tokens.maxTokens' });
    expectProblem(await ask({ chunking: { pages: {} } }), 400, 'InvalidValue', { field: 'chunking.pages' });
    expectProblem(await ask({ chunking: 'none' }), 400, 'InvalidValue', { field: 'chunking' });
    const analyser = await ask({ analyser: 'bm25@0' });
    expectProblem(analyser, 400, 'InvalidValue', { field: 'analyser' });
    expect(analyser.json['detail']).toMatch(/that this build has: \S+, got "bm25@0"/);
    expectProblem(await ask({ contextual: 'summaries' }), 400, 'InvalidValue', { field: 'contextual' });
    expect((await swap()).generations).toHaveLength(1);
  });

  it('is planned with the settings', async () => {
    const plan = await platform.client.swaps.plan('deployment', { chunking: SMALL, sample: 0 });
    expect(plan).toMatchObject({
      ...{ embeddingVersion: BUILT_IN, chunking: SMALL, documents: DOCUMENTS, reusable: { chunks: 0 } },
      rechunked: { present: DOCUMENTS, read: DOCUMENTS, kept: 0, exact: true },
    });
    // Each document has one chunk now.
    expect(plan.chunks).toBeGreaterThan(2 * DOCUMENTS);
    planned = plan.chunks;
    expect(plan.tokens.embedded).toBeGreaterThan(0);
  });

  it('builds its own chunk lists while documents come, change and go, and across a kill', async () => {
    expect(await chunksOf('5.md')).toHaveLength(1);
    const { promise, resolve: release } = Promise.withResolvers<void>();
    held = promise;
    standIn.beforeAnswer = async (texts) => {
      if (texts.some((text) => text.includes('of the log book')) && sent() > HELD_AFTER) await held;
    };
    const { client } = platform;
    const target = { embeddingVersion: STAND_IN, chunking: SMALL, cutover: 'manual' as const };
    expect(await client.swaps.start('deployment', target)).toMatchObject({
      state: 'building',
      generations: [
        { generation: 'g1', embeddingVersion: BUILT_IN },
        { generation: 'g2', embeddingVersion: STAND_IN, chunking: SMALL },
      ],
    });
    await searched(async () => {
      await eventually('some texts are embedded', async () => (sent() > HELD_AFTER ? true : undefined));
      await client.documents.remove(ids.get('0.md') ?? '');
      release();
      await submit('1.md', textOf(1, 'lighthouse'));
      await submit('new.md', textOf(99, 'windmill'));
    });
    await platform.kill();
    await start();
    await searched(() => eventually('the generation is built', async () => ((await swap()).state === 'ready' ? true : undefined), 240_000));
    expect(await swap()).not.toHaveProperty('notRechunked');
    const { swap: progress } = await swap();
    // One document was deleted, another one is new: either of them may be in it.
    expect(Math.abs((progress?.built?.chunks ?? 0) - planned)).toBeLessThan((2 * planned) / DOCUMENTS);
    expect(progress).toMatchObject({ chunks: progress?.built?.chunks, total: progress?.built?.chunks });
    // Until the cut-over, callers see the old lists.
    for (const source of ['1.md', '5.md', 'new.md']) expect(await chunksOf(source)).toHaveLength(1);
    expect(await platform.client.operations.verify()).toMatchObject({ clean: true });
  });

  it('is evaluated by documents, although the chunks of both sides differ', async () => {
    const evaluation = await platform.client.swaps.evaluate('deployment', { queries: 40, seed: 1 });
    expect(evaluation).toMatchObject({ generation: 'g2', against: 'g1', coverage: { refused: 0, unexplained: 0 } });
    expect(evaluation.coverage.chunks).toBeGreaterThan(2 * DOCUMENTS);
    expect(evaluation.spotCheck).toMatchObject({ mismatched: 0 });
    expect(evaluation.measures).not.toEqual([]);
  });

  it('is cut over and rolled back under searches, with every write made since', async () => {
    const { client } = platform;
    const list = async (source: string): Promise<number> => (await chunksOf(source)).length;
    await searched(async () => {
      await client.swaps.cutOver('deployment', 'the stand-in model only counts words');
      await eventually('documents show the new list', async () => ((await list('5.md')) > 1 ? true : undefined));
      expect((await best('lighthouse ship1x2'))?.source).toBe('1.md');
      expect((await best('windmill ship99x2'))?.text.length).toBeLessThan(LONG);
      expect((await client.documents.get(ids.get('5.md') ?? '')).chunks).toBe(await list('5.md'));
      await submit('later.md', textOf(98, 'orchard'));
      await submit('1.md', textOf(1, 'castle'));
      expect(await list('later.md')).toBeGreaterThan(1);
      await client.swaps.rollBack('deployment');
      await eventually('documents show the old list', async () => ((await list('5.md')) === 1 ? true : undefined));
      for (const source of ['1.md', 'new.md', 'later.md']) expect(await list(source)).toBe(1);
      expect((await best('orchard ship98x2'))?.source).toBe('later.md');
      expect((await best('castle ship1x2'))?.source).toBe('1.md');
      await client.swaps.cutOver('deployment', 'the stand-in model only counts words');
      await eventually('documents show the new list again', async () => ((await list('later.md')) > 1 ? true : undefined));
    });
    expect(await chunksOf('1.md')).toEqual(expect.arrayContaining([expect.stringContaining('castle')]));
    expect(await client.operations.verify()).toMatchObject({ clean: true });
  });

  it('is retired, and the way back makes the old lists again', async () => {
    const { client } = platform;
    expect(await client.swaps.retire('deployment')).toMatchObject({
      generations: [{ status: 'retired' }, { status: 'active', chunking: SMALL }],
    });
    await submit('5.md', textOf(5, 'market'));
    expect(await client.operations.verify()).toMatchObject({ clean: true, partitions: [{ generation: 'g2' }] });
    await searched(async () => {
      await client.swaps.start('deployment', { chunking: 'knowledge-base' });
      await eventually('searches use the new generation', async () => ((await swap()).state === 'idle' ? true : undefined), 240_000);
      await eventually('documents show the list of the knowledge base', async () =>
        (await chunksOf('5.md')).length === 1 ? true : undefined,
      );
    });
    expect((await swap()).generations.at(-1)).toEqual({ generation: 'g3', embeddingVersion: STAND_IN, status: 'active' });
    expect(await chunksOf('5.md')).toEqual([expect.stringContaining('market')]);
    expect(await client.operations.verify()).toMatchObject({ clean: true });
    expect((await platform.stop()).code).toBe(0);
  });
});
