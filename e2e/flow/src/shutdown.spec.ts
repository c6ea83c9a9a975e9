import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest, type Settings } from '@palimpsest/e2e-support/platform-under-test';
import { TraceCollector } from '@palimpsest/e2e-support/trace-collector';

const TRACE = '2af7651916cd43dd8448eb211c80319c';

describe('a platform that receives SIGTERM', () => {
  let standIn: EmbeddingStandIn;
  let collector: TraceCollector;
  let settings: Settings;
  let platform: PlatformUnderTest;

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    collector = await TraceCollector.open();
    settings = { ...standIn.settings(), PALIMPSEST_OTLP_ENDPOINT: collector.url };
    platform = await PlatformUnderTest.start(await aDataFolder(), settings);
    await submitText(platform.client, { sourceId: 'zebra.md', text: 'The zebra has stripes.' });
  });

  /** Starts a search; resolves when it waits for the model. */
  const heldSearch = async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    standIn.beforeAnswer = () => held;
    const asked = standIn.texts.length;
    const answer = platform.ask('POST /v1/search', {
      json: { query: 'stripes of the zebra' },
      headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-01` },
    });
    await eventually('the model is called', () => Promise.resolve(standIn.texts.length > asked || undefined));
    return { answer, release };
  };
  const refusesRequests = () =>
    eventually('no more requests are accepted', () =>
      fetch(`${platform.url}/health/live`, { headers: { connection: 'close' } }).then(
        () => undefined,
        () => true as const,
      ),
    );

  it('finishes a running search, writes its retrieval record and exports its trace', async () => {
    const { answer, release } = await heldSearch();
    const ended = platform.stop();
    await refusesRequests();
    release();
    const { status, json } = await answer;
    expect({ status, hits: (json['hits'] as unknown[]).length }).toEqual({ status: 200, hits: 1 });
    expect((await ended).code).toBe(0);
    expect(collector.paths(TRACE)).toContain('POST /v1/search');
    standIn.beforeAnswer = () => Promise.resolve();
    platform = await PlatformUnderTest.start(platform.data, settings);
    await eventually('the retrieval is on the log', async () => {
      const { events } = await platform.client.events.list({ types: ['KnowledgeRetrieved'] });
      return events.length === 1 || undefined;
    });
  });
});
