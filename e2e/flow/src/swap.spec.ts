import { setTimeout as sleep } from 'node:timers/promises';
import type { SwapView } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { recordedEvents } from '@palimpsest/e2e-support/recorded-events';

const BUILT_IN = 'onnx:all-minilm-l6-v2-int8/384';
const STAND_IN = 'openai:stand-in/64';
const DOCUMENTS = 40;
const textOf = (n: number): string => `Entry number ${n} of the log book speaks of the harbour${n} and its ships.`;

/** Searches without a pause, and counts answers and failures. Every answer must name the document whose words were searched. */
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
    for (let n = 1; !this.#stop.signal.aborted; n = (n % (DOCUMENTS - 1)) + 1) {
      try {
        const strategy = n % 2 === 0 ? ('DenseOnly' as const) : undefined;
        const { hits } = await client.search({ query: textOf(n), ...(strategy ? { strategy } : {}) });
        this.answers++;
        if (hits[0]?.source !== `${n}.md`) this.failures.push(`${textOf(n)} found ${hits[0]?.source}`);
      } catch (error) {
        this.failures.push(String(error));
      }
    }
  }
}

describe('a swap with a manual cut-over', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const start = async (): Promise<void> => void (platform = await PlatformUnderTest.start(data, standIn.settings()));
  const swap = (): Promise<SwapView> => platform.client.swaps.get('deployment');
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
  const best = async (query: string) => (await platform.client.search({ query, strategy: 'DenseOnly' })).hits[0]?.source;
  /** Answers to the swap wait while this is set, so that no speed of the machine decides how far it gets. */
  let held: Promise<void> | undefined;
  /** Documents in the three largest ranges, which are those of equal first digits: two are embedded while another one ends. */
  const inThreeRanges = async (): Promise<number> => {
    const sizes = new Map<string, number>();
    for await (const { documentId } of platform.client.documents.listAll())
      sizes.set(documentId[0] ?? '', (sizes.get(documentId[0] ?? '') ?? 0) + 1);
    const [first = 0, second = 0, third = 0] = [...sizes.values()].toSorted((a, b) => b - a);
    return first + second + third;
  };
  /** Samples that are not 0. */
  const metrics = async (): Promise<string> =>
    (await platform.ask('GET /metrics')).text
      .split('\n')
      .filter((line) => !line.endsWith(' 0'))
      .join('\n');
  const embedded = (): number => new Set(standIn.texts.filter((text) => text.startsWith('Entry number'))).size;

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    const first = await PlatformUnderTest.start(data);
    for (let n = 0; n < DOCUMENTS; n++) await submitText(first.client, { sourceId: `${n}.md`, text: textOf(n) });
    expect((await first.stop()).code).toBe(0);
    await start();
  });

  it('starts to any configured model, and names them otherwise', async () => {
    const ask = (json: unknown) => platform.ask('POST /v1/scopes/deployment/swap', { json });
    expectProblem(await ask({ embeddingVersion: 'openai:none/8' }), 400, 'InvalidValue', { field: 'embeddingVersion' });
    standIn.beforeAnswer = async (texts) => {
      await sleep(100);
      if (texts.some((text) => text.startsWith('Entry number')) && embedded() >= 4) await held;
    };
    expect((await ask({ embeddingVersion: STAND_IN, cutover: 'manual' })).json).toMatchObject({
      state: 'building',
      generations: [
        { generation: 'g1', embeddingVersion: BUILT_IN, status: 'active' },
        { generation: 'g2', embeddingVersion: STAND_IN, status: 'building' },
      ],
      swap: { cutover: 'manual', total: DOCUMENTS },
    });
    expectProblem(await ask({ embeddingVersion: STAND_IN }), 409, 'Conflict');
    expectProblem(await platform.ask('POST /v1/scopes/deployment/swap/cutover'), 409, 'Conflict');
    expect((await platform.client.swaps.list()).map(({ scope }) => scope)).toEqual(['deployment']);
  });

  it('pauses within a second while documents come and go, and stays paused across a kill', async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    held = promise;
    await searched(async () => {
      await eventually('some documents are embedded', async () => (embedded() >= 4 ? true : undefined));
      await submitText(platform.client, { sourceId: 'meanwhile.md', text: 'Salt dries in shallow ponds.' });
      await platform.client.documents.remove((await platform.client.search({ query: textOf(0) })).hits[0]?.documentId ?? '');
      expect(await platform.client.swaps.pause('deployment', 'maintenance')).toMatchObject({ state: 'paused' });
      release();
      await sleep(1_000);
      const before = embedded();
      expect(before).toBeLessThan(DOCUMENTS - 1);
      await sleep(1_000);
      expect(embedded()).toBe(before);
    });
    await platform.kill();
    await start();
    const before = embedded();
    await searched(async () => {
      expect(await swap()).toMatchObject({ state: 'paused', swap: { paused: { reason: 'maintenance', by: 'person' } } });
      await sleep(500);
    });
    expect(embedded()).toBe(before);
  });

  it('continues after the resumption and after a kill in the middle, and embeds nothing twice', async () => {
    const before = embedded();
    await platform.client.swaps.resume('deployment');
    await eventually('more documents are embedded', async () => (embedded() > before + 2 ? true : undefined));
    await platform.kill();
    await start();
    await searched(() => eventually('the generation is built', async () => ((await swap()).state === 'ready' ? true : undefined), 120_000));
    // The gateway of the services does not pass metrics on.
    if (!DISTRIBUTED)
      await eventually('the metrics show it', async () => (await metrics()).includes('palimpsest_swaps{state="ready"') || undefined);
    // 39 documents are left, and one is new. What was not recorded when its process ended is sent again: at most the three ranges in work.
    const status = await swap();
    expect(status.swap).toMatchObject({
      ranges: { done: 16, total: 16 },
      chunks: DOCUMENTS,
      built: { chunks: DOCUMENTS, withoutVector: 0 },
    });
    const sent = standIn.texts.filter((text) => text.startsWith('Entry number') && text !== textOf(0));
    expect(sent.length - new Set(sent).size).toBeLessThanOrEqual(await inThreeRanges());
    expect(await standIn.askedDuring(() => best(textOf(7)))).toEqual([]);
  });

  it('is cut over, rolled back with all later writes, cut over again and retired, under searches', async () => {
    standIn.beforeAnswer = () => Promise.resolve();
    const { client } = platform;
    await searched(async () => {
      expect(await client.swaps.cutOver('deployment')).toMatchObject({ state: 'idle' });
      await eventually(
        'searches use the new model',
        async () =>
          (await standIn.askedDuring(() => best('Which ships are in the harbour7?'))).includes('Which ships are in the harbour7?') ||
          undefined,
      );
      expect(await best('Salt dries in shallow ponds.')).toBe('meanwhile.md');
      await submitText(client, { sourceId: 'later.md', text: 'Goats climb steep mountains.' });
      expect(await best('Goats climb steep mountains.')).toBe('later.md');
      await client.swaps.rollBack('deployment');
      await eventually('searches use the old model', async () =>
        (await standIn.askedDuring(() => best('Goats climb up steep mountains.'))).includes('Goats climb up steep mountains.')
          ? undefined
          : true,
      );
      expect(await best('Goats climb steep mountains.')).toBe('later.md');
      await client.swaps.cutOver('deployment');
      const retired = await client.swaps.retire('deployment');
      expect(retired).toMatchObject({
        generations: [
          { generation: 'g1', status: 'retired' },
          { generation: 'g2', status: 'active' },
        ],
      });
      // A vector server does not say what it uses. Each vector of the old model has 384 numbers of 4 bytes.
      if (DISTRIBUTED) expect(retired.freed).toBeUndefined();
      else expect(retired.freed?.disk).toBeGreaterThan(DOCUMENTS * 384 * 4);
    });
    const refused = await platform.ask('POST /v1/scopes/deployment/swap/rollback');
    expectProblem(refused, 409, 'Conflict');
    expect(refused.json['detail']).toMatch('is retired');
    expect(await best(textOf(0))).not.toBe('0.md');
    expect(await client.operations.verify()).toMatchObject({ clean: true, partitions: [{ generation: 'g2' }] });
  });

  it('can be cancelled: what was built is deleted', async () => {
    const { client } = platform;
    await client.swaps.start('deployment', { embeddingVersion: BUILT_IN, cutover: 'manual' });
    expect(await client.swaps.cancel('deployment')).toMatchObject({ state: 'idle' });
    expectProblem(await platform.ask('POST /v1/scopes/deployment/swap/cancel'), 409, 'Conflict');
    expect(await client.operations.verify()).toMatchObject({ clean: true, partitions: [{ generation: 'g2' }] });
  });

  it('has every step in the audit trail and on the log', async () => {
    const { entries } = await platform.client.operations.audit({ limit: 100 });
    const operations = new Set(entries.map(({ operation }) => operation));
    for (const step of ['', '/pause', '/resume', '/cutover', '/rollback', '/retire', '/cancel'])
      expect(operations).toContain(`/v1/scopes/:scope/swap${step}`);
    expect((await platform.stop()).code).toBe(0);
    const types = (await recordedEvents(data)).map(({ type }) => type).filter((type) => type.startsWith('Generation'));
    expect(types.filter((type) => type === 'GenerationRangeEmbedded').length).toBeGreaterThanOrEqual(16);
    expect(types.filter((type) => ['GenerationBuilt', 'GenerationPaused', 'GenerationResumed'].includes(type))).toEqual([
      'GenerationPaused',
      'GenerationResumed',
      'GenerationBuilt',
    ]);
  });
});
