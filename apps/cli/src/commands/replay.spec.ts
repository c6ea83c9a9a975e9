import { FakePlatform } from '../../test/fake-platform.ts';
import { run, type Ran } from '../../test/run.ts';

const WINDOW = 'POST /v1/retrievals/replay';
const TRACE = '01a21f2a-cfeb-74b4-9403-be3239ada940';

let platform: FakePlatform;
beforeEach(async () => {
  platform = await FakePlatform.open();
});
afterEach(() => platform.close());
const palimpsest = (...args: string[]): Promise<Ran> => run([...args, '--url', platform.url]);

const compared = (traceId: string, rbo: number, identical = true) => ({
  ...{ traceId, retrievedAt: '2026-11-24T12:00:00.000Z', position: '7', identical, gained: 1, lost: 2, moved: 3, overlap: 0.5, rbo },
  causes: [{ kind: 'cutOver', changes: 6 }],
});
const page = (
  retrievals: readonly ReturnType<typeof compared>[],
  skipped: readonly { traceId: string; reason: string }[],
  next?: string,
) => ({
  summary: {
    ...{ replayed: retrievals.length, identical: retrievals.filter(({ identical }) => identical).length, changed: retrievals.length },
    ...{ gained: retrievals.length, lost: 2 * retrievals.length, moved: 3 * retrievals.length },
    ...(retrievals.length === 0 ? {} : { overlap: 0.5, rbo: retrievals.reduce((sum, { rbo }) => sum + rbo, 0) / retrievals.length }),
    causes: retrievals.length === 0 ? [] : [{ kind: 'cutOver', changes: 6 * retrievals.length }],
    skipped: [...new Set(skipped.map(({ reason }) => reason))].map((reason) => ({
      reason,
      count: skipped.filter((one) => one.reason === reason).length,
    })),
  },
  ...{ retrievals, skipped },
  ...(next === undefined ? {} : { next }),
});

describe('palimpsest replay of many', () => {
  it('reads all pages, and prints the totals with those that changed most first', async () => {
    const pages = [
      page([compared('a', 0.8), compared('b', 0.9)], [{ traceId: 'x', reason: 'query' }], 'r7'),
      page([], [{ traceId: 'y', reason: 'query' }], 'r3'),
      page([compared('c', 0.4, false)], [{ traceId: 'z', reason: 'refused' }]),
    ];
    platform.on(WINDOW, () => ({ json: pages.shift() ?? page([], []) }));
    const { code, out, err } = await palimpsest('replay', '--last', '30', '--after', '5', '--kb', 'handbook');
    expect(code).toBe(1);
    expect(out.indexOf('c ')).toBeLessThan(out.indexOf('a '));
    expect(out).toContain('3 replayed, 3 of them with other results');
    expect(out).toContain('3 gained, 6 lost, 9 moved; mean overlap 0.500, RBO 0.700\n');
    expect(out).toContain('causes: 18 cutOver\n');
    expect(err).toContain('2 skipped: their queries are not recorded');
    expect(err).toContain('1 skipped: a model of the comparison does not accept their texts');
    expect(platform.requestsTo(WINDOW).map(({ json }) => json)).toEqual([
      { after: '5', knowledgeBase: 'handbook', against: {}, limit: 20 },
      { after: '5', knowledgeBase: 'handbook', against: {}, limit: 20, cursor: 'r7' },
      { after: '5', knowledgeBase: 'handbook', against: {}, limit: 20, cursor: 'r3' },
    ]);
  });

  it('stops after as many searches as were wanted, and says in JSON that there are more', async () => {
    platform.on(WINDOW, () => ({ json: page([compared('a', 1)], [], 'r7') }));
    const { code, out } = await palimpsest('replay', '--last', '2', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ summary: { replayed: 2, rbo: 1 }, isComplete: false });
    expect(platform.requestsTo(WINDOW).map(({ json }) => (json as { limit: number }).limit)).toEqual([2, 1]);
  });

  it('sends the candidate; with a generation, only searches of its scope', async () => {
    platform.on(WINDOW, () => ({ json: page([], []) }));
    const filter = '{"eq":{"field":"label.team","value":"red"}}';
    await palimpsest('replay', '--generation', 'g3', '--scope', 'team:red', '--fusion', 'rrf', '--min-score', '0.2', '--filter', filter);
    expect(platform.requestsTo(WINDOW)[0]?.json).toEqual({
      ...{ scope: 'team:red', limit: 20 },
      against: { generations: { 'team:red': 'g3' }, fusion: 'rrf', minScore: 0.2, filter: JSON.parse(filter) as unknown },
    });
    await palimpsest('replay', '--generation', 'g2');
    expect(platform.requestsTo(WINDOW)[1]?.json).toEqual({ limit: 20, against: { generations: { deployment: 'g2' } } });
    expect((await palimpsest('replay', '--filter', '{"eq"')).code).toBe(2);
    expect(platform.requestsTo(WINDOW)).toHaveLength(2);
  });
});

describe('palimpsest replay of one', () => {
  it('is compared only if something is asked', async () => {
    const replay = `POST /v1/retrievals/${TRACE}/replay`;
    const result = {
      ...{ traceId: TRACE, position: '7', retrievedAt: '2026-11-24T12:00:00.000Z', identical: true, sameHits: true },
      ...{ differences: [], recorded: [], hits: [] },
    };
    platform.on(replay, () => ({ json: result }));
    await palimpsest('replay', TRACE);
    await palimpsest('replay', TRACE, '--compare');
    await palimpsest('replay', TRACE, '--min-score', '-1');
    await palimpsest('replay', TRACE, '--query', 'tides', '--terms', '{"required":["tide"]}');
    expect(platform.requestsTo(replay).map(({ json }) => json)).toEqual([
      {},
      { against: {} },
      { against: { minScore: -1 } },
      { query: 'tides', terms: { required: ['tide'] } },
    ]);
  });
});
