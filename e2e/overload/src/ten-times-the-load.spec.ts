import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { wholeFrom } from '@palimpsest/e2e-support/whole-from';
import { callers, crowd, type LoadRequest, type LoadResult } from './load.ts';
import { residentBytes, watched } from './watched.ts';

const SECONDS = wholeFrom('PALIMPSEST_OVERLOAD_SECONDS', 8);
const TIMES = 10;
const CALLERS = 16;
const SOCKETS = 1_000;
const MIB = 1024 * 1024;
/** For a thousand connections and the queued requests; the benchmark measures 0 to 90 MiB. */
const MAX_GROWTH_BYTES = 300 * MIB;
const INDEXING_MS = 10 * 60_000;
const WORDS = ['lamp', 'harbour', 'keeper', 'oil', 'ship', 'storm'];

describe(`ten times the load that a platform can handle, for ${SECONDS} s each`, () => {
  let platform: PlatformUnderTest;
  let documents = 0;

  const post = (path: string, json: unknown): LoadRequest => ({
    url: platform.url,
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${platform.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(json),
  });
  const queries = (path: string): readonly LoadRequest[] =>
    WORDS.map((word, i) => post(path, { query: `${word} ${WORDS[(i + 1) % WORDS.length]}` }));
  const indexed = async (): Promise<number> => ((await platform.ask('GET /v1/status')).json['documents'] as { indexed: number }).indexed;

  beforeAll(async () => {
    // A short queue, so that all accepted documents are indexed during the test.
    platform = await PlatformUnderTest.start(await aDataFolder(), {
      ...(await EmbeddingStandIn.open()).settings(),
      PALIMPSEST_QUEUE_CAPACITY: '300',
    });
    for (; documents < 20; documents++)
      await submitText(platform.client, { sourceId: `${documents}.md`, text: `The ${WORDS.join(' and the ')} of house ${documents}.` });
  });

  /** Measures the possible load, applies ten times as much, and checks the responses. */
  const overloaded = async (requests: readonly LoadRequest[]): Promise<Readonly<{ before: LoadResult; under: LoadResult }>> => {
    const before = await callers(requests, CALLERS, 3);
    const atRest = await residentBytes(platform);
    expect(atRest).toBeGreaterThan(0);
    const perSecond = Math.max(1, (before.ok / before.seconds) * TIMES);
    const { result: under, probes, maxBytes } = await watched(platform, () => crowd(requests, perSecond, SECONDS, SOCKETS));
    const { sent, ok, refused } = under;
    process.stdout.write(
      `${requests[0]?.path}: target ${Math.round(perSecond)} per second, ${sent} sent, ${ok} succeeded, ${refused} refused, ${Math.round((maxBytes - atRest) / MIB)} MiB more\n`,
    );
    expect(under.other).toEqual({});
    expect(under.unexplained).toBe(0);
    expect(under.ok + under.refused).toBe(under.sent);
    expect(under.ok).toBeGreaterThan(0);
    expect(under.refused).toBeGreaterThan(0);
    expect(probes.length).toBeGreaterThan(0);
    expect(new Set(probes)).toEqual(new Set([200]));
    expect(maxBytes - atRest).toBeLessThan(MAX_GROWTH_BYTES);
    return { before, under };
  };

  it.each(['/v1/search', '/v1/context'])(
    'POST %s always succeeds or is refused with a Retry-After, and works normally afterwards',
    async (path) => {
      await overloaded(queries(path));
      const { status, json } = await platform.ask(`POST ${path}`, { json: { query: 'the lamp of the keeper' } });
      expect([status, (json[path === '/v1/search' ? 'hits' : 'citations'] as unknown[]).length > 0]).toEqual([200, true]);
    },
  );

  it('uploads are always accepted or refused, and exactly the accepted ones are indexed', async () => {
    const { before, under } = await overloaded([post('/v1/documents', { sourceId: '«n».md', text: 'The lamp of house «n» burns oil.' })]);
    const accepted = documents + before.ok + under.ok;
    await eventually('all accepted documents are indexed', async () => ((await indexed()) >= accepted ? true : undefined), INDEXING_MS);
    expect((await platform.ask('GET /v1/status')).json['documents']).toMatchObject({
      pending: 0,
      processing: 0,
      failed: 0,
      indexed: accepted,
    });
    expect((await platform.ask('POST /v1/documents', { json: { sourceId: 'after.md', text: 'The lamp is out.' } })).status).toBe(202);
  });
});
