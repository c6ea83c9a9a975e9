import type { ReplayResult, SearchRequest } from '@palimpsest/client';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';

const BUILT_IN = 'onnx:all-minilm-l6-v2-int8/384';
const STAND_IN = 'openai:stand-in/64';
const WORDS = 'harbour berth pier storm keeper lighthouse anchor rope sail tide reef buoy chart captain cargo crane'.split(' ');
const SEARCHES = Number(process.env['E2E_REPLAYS'] ?? (DISTRIBUTED ? 100 : 1_000));
/** A search in eight is followed by a change. */
const CHANGE_EVERY = 8;

describe('a past search', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const random = new SeededRandom(16);
  const traces: string[] = [];
  const start = async (): Promise<void> => void (platform = await PlatformUnderTest.start(data, standIn.settings()));
  const sentence = (words = 12): string => Array.from({ length: words }, () => random.oneOf(WORDS)).join(' ');
  const put = (n: number, text = `${sentence()}. ${sentence()}.`) =>
    submitText(platform.client, {
      sourceId: `log-${n}.md`,
      text,
      labels: { kind: n % 2 === 0 ? 'even' : 'odd' },
      knowledgeBase: n % 5 === 0 ? 'red' : 'default',
    });
  const swapTo = async (embeddingVersion: string): Promise<void> => {
    const { client } = platform;
    await client.swaps.start('deployment', { embeddingVersion });
    await eventually('the other model serves', async () => {
      const { generations } = await client.swaps.get('deployment');
      return generations.find(({ status }) => status === 'active')?.embeddingVersion === embeddingVersion || undefined;
    });
    for (const { generation, status } of (await client.swaps.get('deployment')).generations)
      if (status === 'standby' && random.next() < 0.5) await client.swaps.retire('deployment', generation);
  };

  const change = async (step: number): Promise<void> => {
    const { client } = platform;
    const chance = random.next();
    if (step % 40 === 39) await swapTo(step % 80 === 39 ? BUILT_IN : STAND_IN);
    else if (step % 40 === 19 && !DISTRIBUTED) await client.operations.rebuild();
    else if (step % 40 === 29) {
      // Records are written in the background after the response, so a kill may lose the last ones.
      await recorded(traces.at(-1) ?? '');
      await platform.kill();
      await start();
    } else if (chance < 0.15) {
      const { documents } = await client.documents.list({ limit: 200 });
      if (documents.length > 3) await client.documents.remove(random.oneOf(documents).documentId);
    } else if (chance < 0.2) await client.knowledgeBases.update('red', { language: random.oneOf(['en', 'de', 'fr']) });
    else await put(Math.floor(random.between(0, 30)));
  };

  const request = (): SearchRequest => ({
    query: sentence(Math.floor(random.between(1, 5))),
    topK: Math.floor(random.between(1, 12)),
    strategy: random.oneOf(['DenseSparseHybrid', 'DenseSparseHybrid', 'DenseOnly', 'SparseOnly']),
    fusion: random.oneOf(['zscore', 'zscore', 'rrf', 'weighted']),
    ...(random.next() < 0.2 ? { filter: { eq: { field: 'label.kind', value: 'odd' } } } : {}),
    ...(random.next() < 0.1 ? { knowledgeBases: ['red'] } : {}),
    ...(random.next() < 0.1 ? { minScore: 0.1 } : {}),
  });

  const recorded = (traceId: string): Promise<ReplayResult> =>
    eventually('the search is on the log', async () => {
      const answer = await platform.ask(`POST /v1/retrievals/${traceId}/replay`, { json: {} });
      return answer.status === 200 ? (answer.json as unknown as ReplayResult) : undefined;
    });

  beforeAll(async () => {
    [data, standIn] = [await aDataFolder(), await EmbeddingStandIn.open()];
    await start();
    await platform.client.tenants.setLimits('default', { overrides: { recordQueries: true } });
    await platform.client.knowledgeBases.create({ id: 'red', scope: 'team:red' });
    for (let n = 0; n < 12; n++) await put(n);
  });

  it(`is repeated to the last bit: ${SEARCHES} searches in a random history with kills, rebuilds and swaps`, async () => {
    for (let n = 0; n < SEARCHES; n++) {
      traces.push((await platform.client.search(request())).traceId);
      if (n % CHANGE_EVERY === CHANGE_EVERY - 1) await change(Math.floor(n / CHANGE_EVERY));
    }
    await recorded(traces.at(-1) ?? '');
    // The audit trail, which is not listed here, has an entry for each request.
    const newest = async () => (await platform.client.events.list({ limit: 1 })).events[0]?.position;
    const before = await newest();
    const different: unknown[] = [];
    for (const traceId of traces) {
      const { identical, differences, recorded: was, hits } = await platform.client.retrievals.replay(traceId);
      if (!identical) different.push({ traceId, differences, was, hits });
    }
    expect(different).toEqual([]);
    expect(await newest()).toBe(before);
  }, 900_000);
});
