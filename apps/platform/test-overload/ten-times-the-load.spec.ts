import { EmbeddingStandIn } from '../test/embedding-stand-in.ts';
import { eventually } from '../test/eventually.ts';
import { handIn } from '../test/hand-in.ts';
import { aDataFolder, PlatformUnderTest } from '../test/platform-under-test.ts';
import { wholeFrom } from '../test-crash/whole-from.ts';
import { callers, crowd, type LoadRequest, type LoadResult } from './load.ts';
import { residentBytes, watched } from './watched.ts';

const SECONDS = wholeFrom('PALIMPSEST_OVERLOAD_SECONDS', 8);
const TIMES = 10;
const CALLERS = 16;
const SOCKETS = 1_000;
const MIB = 1024 * 1024;
/** A thousand connections, and what is under way at the doors; the benchmark sees 0 to 90 MiB. */
const MOST_GROWTH_BYTES = 300 * MIB;
const INDEXING_MS = 10 * 60_000;
const WORDS = ['lamp', 'harbour', 'keeper', 'oil', 'ship', 'storm'];

describe(`ten times the load that a platform can take, for ${SECONDS} s each`, () => {
  let platform: PlatformUnderTest;
  let documents = 0;

  const post = (path: string, json: unknown): LoadRequest =>
    ({ url: platform.url, method: 'POST', path, headers: { authorization: `Bearer ${platform.key}`, 'content-type': 'application/json' }, body: JSON.stringify(json) });
  const asked = (path: string): readonly LoadRequest[] => WORDS.map((word, i) => post(path, { query: `${word} ${WORDS[(i + 1) % WORDS.length]}` }));
  const indexed = async (): Promise<number> => ((await platform.ask('GET /v1/status')).json['documents'] as { indexed: number }).indexed;

  beforeAll(async () => {
    // A short queue: what was accepted is to be indexed within the test.
    platform = await PlatformUnderTest.start(await aDataFolder(), { ...(await EmbeddingStandIn.open()).settings(), PALIMPSEST_QUEUE_CAPACITY: '300' });
    for (; documents < 20; documents++) await handIn(platform.client, { sourceId: `${documents}.md`, text: `The ${WORDS.join(' and the ')} of house ${documents}.` });
  });

  /** What it can take, and then ten times as much; what must hold of every answer is looked at here. */
  const overloaded = async (requests: readonly LoadRequest[]): Promise<Readonly<{ before: LoadResult; under: LoadResult }>> => {
    const before = await callers(requests, CALLERS, 3);
    const atRest = await residentBytes(platform);
    expect(atRest).toBeGreaterThan(0);
    const perSecond = Math.max(1, (before.ok / before.seconds) * TIMES);
    const { result: under, probes, mostBytes } = await watched(platform, () => crowd(requests, perSecond, SECONDS, SOCKETS));
    const { sent, ok, refused } = under;
    process.stdout.write(`${requests[0]?.path}: ${Math.round(perSecond)} wanted a second, ${sent} sent, ${ok} done, ${refused} refused, ${Math.round((mostBytes - atRest) / MIB)} MiB more\n`);
    expect(under.other).toEqual({});
    expect(under.unexplained).toBe(0);
    expect(under.ok + under.refused).toBe(under.sent);
    expect(under.ok).toBeGreaterThan(0);
    expect(under.refused).toBeGreaterThan(0);
    expect(probes.length).toBeGreaterThan(0);
    expect(new Set(probes)).toEqual(new Set([200]));
    expect(mostBytes - atRest).toBeLessThan(MOST_GROWTH_BYTES);
    return { before, under };
  };

  it.each(['/v1/search', '/v1/context'])('POST %s is answered or refused with a time to come again, every time, and answered as ever afterwards', async (path) => {
    await overloaded(asked(path));
    const { status, json } = await platform.ask(`POST ${path}`, { json: { query: 'the lamp of the keeper' } });
    expect([status, (json[path === '/v1/search' ? 'hits' : 'citations'] as unknown[]).length > 0]).toEqual([200, true]);
  });

  it('uploads are accepted or refused, every time, and what was accepted is indexed, and nothing else', async () => {
    const { before, under } = await overloaded([post('/v1/documents', { sourceId: '«n».md', text: 'The lamp of house «n» burns oil.' })]);
    const accepted = documents + before.ok + under.ok;
    await eventually('all that was accepted is indexed', async () => ((await indexed()) >= accepted ? true : undefined), INDEXING_MS);
    expect((await platform.ask('GET /v1/status')).json['documents']).toMatchObject({ pending: 0, processing: 0, failed: 0, indexed: accepted });
    expect((await platform.ask('POST /v1/documents', { json: { sourceId: 'after.md', text: 'The lamp is out.' } })).status).toBe(202);
  });
});
