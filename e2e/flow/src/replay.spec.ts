import type { ReplayResult, SearchRequest, SwapTarget } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';

const BUILT_IN = 'onnx:all-minilm-l6-v2-int8/384';
const STAND_IN = 'openai:stand-in/64';
const WORDS = 'harbour berth pier storm keeper lighthouse anchor rope sail tide reef buoy chart captain cargo crane'.split(' ');
const SEARCHES = Number(process.env['E2E_REPLAYS'] ?? (DISTRIBUTED ? 40 : 1_000));
const PLANTED = Number(process.env['E2E_PLANTED'] ?? (DISTRIBUTED ? 8 : 100));
const SHORT = { markdown: { maxChars: 200 } };
/** Searches that are compared in bulk. */
const SINCE = 20;
/** How searches arrange their results, in turn. */
const ARRANGEMENTS = [{}, { collapse: true }, { groupBy: 'document', perGroup: 1 }] as const;
/** A search in eight is followed by a change. */
const CHANGE_EVERY = 8;

/** On services, vectors of the past are searched by another index than live ones, and the replay says so. */
const isAsExpected = (identical: boolean, differences: ReplayResult['differences']): boolean =>
  identical || (DISTRIBUTED && differences.some(({ reason }) => reason === 'store'));

describe('a past search', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const random = new SeededRandom(16);
  const traces: string[] = [];
  /** When the last `SINCE` of them began. */
  let since = '';
  const start = async (): Promise<void> => void (platform = await PlatformUnderTest.start(data, standIn.settings()));
  const sentence = (words = 12): string => Array.from({ length: words }, () => random.oneOf(WORDS)).join(' ');
  /** Of one or more chunks, depending on the chunking. */
  const aText = (): string => Array.from({ length: Math.floor(random.between(1, 7)) }, () => `${sentence()}.`).join(' ');
  const put = (n: number, text = aText()) =>
    submitText(platform.client, {
      sourceId: `log-${n}.md`,
      text,
      labels: { kind: n % 2 === 0 ? 'even' : 'odd' },
      knowledgeBase: n % 5 === 0 ? 'red' : 'default',
    });
  const swapTo = async (embeddingVersion: string, chunking?: SwapTarget['chunking']): Promise<void> => {
    const { client } = platform;
    await client.swaps.start('deployment', { embeddingVersion, ...(chunking === undefined ? {} : { chunking }) });
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
    if (step % 80 === 39) await swapTo(BUILT_IN, SHORT);
    else if (step % 80 === 79) await swapTo(STAND_IN, 'knowledge-base');
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

  afterAll(() => platform.stop());

  it(`is repeated to the last bit: ${SEARCHES} searches in a random history with kills, rebuilds, and swaps of model and chunking`, async () => {
    let changedAt: string | undefined;
    for (let n = 0; n < SEARCHES; n++) {
      if (n === SEARCHES - SINCE) {
        await recorded(traces.at(-1) ?? '');
        // The replays so far are not recorded; the next search is.
        since = new Date().toISOString();
      }
      traces.push((await platform.client.search({ ...request(), atLeast: changedAt })).traceId);
      if (n % CHANGE_EVERY !== CHANGE_EVERY - 1) continue;
      await change(Math.floor(n / CHANGE_EVERY));
      // The catalog shows a change shortly before the indexes are done with it. The next searches must not overlap with that.
      changedAt = (await platform.client.events.list({ limit: 1 })).head;
    }
    await recorded(traces.at(-1) ?? '');
    // The audit trail, which is not listed here, has an entry for each request.
    const newest = async () => (await platform.client.events.list({ limit: 1 })).events[0]?.position;
    const before = await newest();
    const different: unknown[] = [];
    for (const traceId of traces) {
      const { identical, differences, recorded: was, hits } = await platform.client.retrievals.replay(traceId);
      if (!isAsExpected(identical, differences))
        different.push({ traceId, differences, was, hits: hits.map(({ chunkId, score }) => ({ chunkId, score })) });
    }
    expect(different).toEqual([]);
    expect(await newest()).toBe(before);
  }, 900_000);

  it('is compared in bulk: page by page, the most changed first, and not at all with itself', async () => {
    const { client } = platform;
    const seen: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await client.retrievals.replayMany({ limit: 7, cursor, after: since, against: {} });
      const agreement = page.retrievals.map(({ rbo }) => rbo);
      expect(agreement).toEqual(agreement.toSorted((a, b) => a - b));
      expect(page.summary.replayed).toBe(page.retrievals.length);
      if (!DISTRIBUTED) expect(page.summary.identical).toBe(page.retrievals.length);
      seen.push(...page.retrievals.map(({ traceId }) => traceId));
      if ((cursor = page.next) === undefined) break;
    }
    expect(seen.toSorted()).toEqual(traces.slice(-SINCE).toSorted());
    const one = await client.retrievals.replay(seen[0] ?? '', { against: {} });
    const { retrievals } = await client.retrievals.replayMany({ limit: 100, after: since });
    const { gained, lost, moved } = retrievals.find(({ traceId }) => traceId === seen[0]) ?? {};
    const count = (kind: string) => one.against?.changes.filter(({ change: each }) => each === kind).length;
    expect([gained, lost, moved]).toEqual([count('gained'), count('lost'), count('moved')]);
    const other = await client.retrievals.replayMany({ limit: 10, after: since, against: { strategy: 'SparseOnly', topK: 3 } });
    expect(other.summary.replayed).toBe(10);
    expect(other.summary.changed).toBeGreaterThan(0);
    expect((await client.retrievals.replayMany({ limit: 10, scope: 'user:eve' })).retrievals).toEqual([]);
    expect((await client.retrievals.replayMany({ limit: 10, before: '2001-01-01T00:00:00Z' })).retrievals).toEqual([]);
    for (const [json, field] of [
      [{ cursor: 'x' }, /cursor/],
      [{ limit: 101 }, /limit/],
      [{ limit: 0 }, /limit/],
      [{ after: 'yesterday' }, /after/],
      [{ before: '-1' }, /before/],
      [{ scope: 'everything' }, /scope/],
      [{ knowledgeBase: '../red' }, /knowledgeBase/],
      [{ window: 'all' }, /window/],
      [{ against: { filter: { eq: { field: 'nothing' } } } }, /against\.filter/],
      [{ against: { generations: { deployment: 'g99' } }, after: since }, /against\.generations\.deployment/],
    ] as const)
      expectProblem(await platform.ask('POST /v1/retrievals/replay', { json }), 400, 'InvalidValue', { field });
  });

  it('has the totals of a window, with the causes of all changes', async () => {
    const { client } = platform;
    const against = { topK: 2, asOf: (await client.events.list({ limit: 1 })).head };
    const pages: number[] = [];
    const onPage = ({ retrievals }: { retrievals: readonly unknown[] }) => pages.push(retrievals.length);
    const all = await client.retrievals.replayWindow({ after: since, against, max: 100 }, { onPage });
    const { summary, retrievals, skipped, isComplete } = all;
    expect([retrievals.length, skipped, isComplete]).toEqual([SINCE, [], true]);
    expect(pages.at(-1)).toBe(SINCE);
    const sum = (of: (one: (typeof retrievals)[number]) => number) => retrievals.reduce((before, one) => before + of(one), 0);
    expect(summary).toMatchObject({ replayed: SINCE, gained: sum((one) => one.gained), lost: sum((one) => one.lost), skipped: [] });
    expect(summary.lost).toBeGreaterThan(0);
    expect(summary.rbo).toBeCloseTo(sum((one) => one.rbo) / SINCE, 10);
    const counts = new Map<string, number>();
    for (const { traceId } of retrievals)
      for (const { causes } of (await client.retrievals.replay(traceId, { against })).against?.changes ?? [])
        for (const kind of new Set(causes.map((cause) => cause.kind))) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    expect(Object.fromEntries(summary.causes.map(({ kind, changes }) => [kind, changes]))).toEqual(Object.fromEntries(counts));
    const part = await client.retrievals.replayWindow({ after: since, against, max: 5 });
    expect([part.retrievals.length, part.isComplete]).toEqual([5, false]);
  });

  it('is only one that included the knowledge base, or the scope whose generation is asked', async () => {
    const { client } = platform;
    const traceOf = async (request: Partial<SearchRequest>) => (await client.search({ query: 'harbour', topK: 3, ...request })).traceId;
    const after = new Date().toISOString();
    const [base, ofRed, whole] = [
      await traceOf({ knowledgeBases: ['default'] }),
      await traceOf({ knowledgeBases: ['red'] }),
      await traceOf({}),
    ];
    const deployment = await traceOf({ scopes: ['deployment'] });
    await recorded(deployment);
    const found = async (more: object) => {
      const { retrievals } = await client.retrievals.replayMany({ after, limit: 10, ...more });
      return retrievals.map(({ traceId }) => traceId).sort();
    };
    expect(await found({ knowledgeBase: 'red' })).toEqual([ofRed, whole].sort());
    expect(await found({ knowledgeBase: 'default' })).toEqual([base, whole, deployment].sort());
    const { generations } = await client.swaps.get('team:red');
    const generation = generations.find(({ status }) => status === 'active')?.generation ?? '';
    // The search of the other scope alone has no such generation.
    expect(await found({ against: { generations: { 'team:red': generation } } })).toEqual([base, ofRed, whole].sort());
    expectProblem(await platform.ask('POST /v1/retrievals/replay', { json: { knowledgeBase: 'none' } }), 404, 'NotFound');
  });

  it('is repeated to the last bit, or names the events that it overlapped with, if documents arrive meanwhile', async () => {
    let isOver = false;
    const arriving = (async () => {
      for (let n = 0; !isOver; n++) await put(n % 30);
    })();
    const during: string[] = [];
    for (let n = 0; n < 200; n++) during.push((await platform.client.search(request())).traceId);
    isOver = true;
    await arriving;
    await recorded(during.at(-1) ?? '');
    let overlapping = 0;
    for (const traceId of during) {
      const { identical, differences } = await platform.client.retrievals.replay(traceId);
      if (identical) continue;
      overlapping++;
      if (DISTRIBUTED) continue;
      expect(differences.map(({ reason }) => reason)).toEqual(['overlap']);
      expect(differences[0]?.events.length).toBeGreaterThan(0);
    }
    if (!DISTRIBUTED) expect(overlapping).toBeLessThan(during.length / 4);
  });
});

type Planted = Readonly<{ kind: string; traceId: string; after: string; event: string }>;

describe('a change between a past search and another moment', () => {
  let platform: PlatformUnderTest;
  const random = new SeededRandom(17);
  const planted: Planted[] = [];
  const sentence = (words: number): string => Array.from({ length: words }, () => random.oneOf(WORDS)).join(' ');
  const put = (source: string, text: string, knowledgeBase = 'default') =>
    submitText(platform.client, { sourceId: source, text, knowledgeBase });
  const newest = async (type: string): Promise<string> => {
    const { events } = await platform.client.events.list({ types: [type], limit: 1 });
    return events[0]?.position ?? '';
  };
  /** What the event list shows when the change is visible. */
  const changes: Readonly<Record<string, (query: string, best: string, n: number, text: string) => Promise<string>>> = {
    edit: async (_query, best) => (await put(best, sentence(14)), newest('DocumentIndexed')),
    delete: async (_query, best) => {
      const { documents } = await platform.client.documents.list({ source: best, limit: 1 });
      await platform.client.documents.remove(documents[0]?.documentId ?? '');
      return newest('DocumentDeleted');
    },
    competitor: async (query, _best, n) => (await put(`competitor-${n}.md`, query), newest('DocumentIndexed')),
    copy: async (_query, _best, n, text) => (await put(`copy-${n}.md`, text), newest('DocumentIndexed')),
    words: async (query, _best, n) => {
      const [first = ''] = query.split(' ');
      await put(`words-${n}.md`, `${sentence(30)} ${first} ${sentence(30)}`);
      return newest('DocumentIndexed');
    },
  };

  beforeAll(async () => {
    const standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), standIn.settings());
    await platform.client.tenants.setLimits('default', { overrides: { recordQueries: true } });
    await platform.client.knowledgeBases.create({ id: 'red', scope: 'team:red' });
    for (let n = 0; n < 25; n++) await put(`log-${n}.md`, sentence(14));
  });
  afterAll(() => platform.stop());

  /** The changes of a replay whose causes are other events, or none. */
  const wronglyNamed = ({ against }: ReplayResult, kind: string, event: string): readonly unknown[] =>
    (against?.changes ?? []).flatMap(({ change, causes, hit }) => {
      const named = new Set(causes.flatMap(({ events }) => events.map(({ position }) => position)));
      return named.size === 1 && named.has(event) ? [] : [{ kind, event, change, causes, source: hit.source }];
    });

  it(`is named as the cause, and nothing else: ${PLANTED} changes of documents`, async () => {
    for (let n = 0; n < PLANTED; n++) {
      const query = sentence(3);
      const strategy = random.oneOf(['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] as const);
      const { hits, traceId } = await platform.client.search({ query, strategy, topK: 6, scopes: ['deployment'], ...ARRANGEMENTS[n % 3] });
      const kind = random.oneOf(Object.keys(changes));
      // Things that have nothing to do with it: another scope, another name, another search.
      await put(`other-${n % 7}.md`, `${query} ${sentence(5)}`, 'red');
      if (n % 5 === 0) await platform.client.knowledgeBases.update('default', { name: `Name ${n}` });
      const event = (await changes[kind]?.(query, hits[0]?.source ?? 'log-0.md', n, hits[0]?.text ?? query)) ?? '';
      const { position: after } = await platform.client.search({ query: 'harbour', topK: 1 });
      planted.push({ kind, traceId, after, event });
      const { documents } = await platform.client.documents.list({ limit: 200, knowledgeBase: 'default' });
      if (documents.length > 40) await platform.client.documents.remove(random.oneOf(documents).documentId);
    }
    const wrong: unknown[] = [];
    let changed = 0;
    for (const { kind, traceId, after, event } of planted) {
      const replay = () => platform.client.retrievals.replay(traceId, { against: { asOf: after } }).catch(() => undefined);
      const result = await eventually('the search is on the log', replay);
      if (result.against?.changes.length !== 0) changed++;
      wrong.push(...wronglyNamed(result, kind, event));
    }
    expect(wrong).toEqual([]);
    expect(changed).toBeGreaterThan(PLANTED / 2);
  }, 900_000);

  it('is the copy that stands for a passage, or does so no more', async () => {
    const { client } = platform;
    const text = 'The harbour pilot boards every tanker before the breakwater.';
    for (const source of ['pilot-1.md', 'pilot-2.md']) await put(source, text);
    const { hits, traceId } = await client.search({ query: 'pilot boards', topK: 1, collapse: true, scopes: ['deployment'] });
    const [first] = hits;
    expect(first?.similar?.count).toBe(1);
    await client.documents.remove(first?.documentId ?? '');
    const event = await newest('DocumentDeleted');
    const replay = () => client.retrievals.replay(traceId, { against: {} }).catch(() => undefined);
    const { against } = await eventually('the search is on the log', replay);
    expect(against?.changes).toMatchObject([
      {
        change: 'gained',
        hit: { chunkId: first?.similar?.passages[0]?.chunkId },
        causes: [{ kind: 'copy', events: [{ position: event }] }],
      },
      { change: 'lost', hit: { chunkId: first?.chunkId }, causes: [{ kind: 'deleted', events: [{ position: event }] }] },
    ]);
  });

  it('is the cut-over, if another model serves', async () => {
    const { traceId } = await platform.client.search({ query: 'harbour storm', topK: 5, scopes: ['deployment'] });
    await platform.client.swaps.start('deployment', { embeddingVersion: BUILT_IN });
    const active = async () => (await platform.client.swaps.get('deployment')).generations.find(({ status }) => status === 'active');
    await eventually('the other model serves', async () => (await active())?.embeddingVersion === BUILT_IN || undefined);
    const event = await newest('GenerationActivated');
    const { against, sameHits } = await platform.client.retrievals.replay(traceId, { against: {} });
    expect(sameHits).toBe(true);
    expect(against?.changes.length).toBeGreaterThan(0);
    for (const { causes } of against?.changes ?? [])
      expect(causes).toMatchObject([{ kind: 'cutOver', events: [{ position: event, type: 'GenerationActivated' }] }]);
  });

  it('is not confused with a change of the request, which is no event', async () => {
    const { traceId } = await platform.client.search({ query: 'lighthouse keeper tide', topK: 5, scopes: ['deployment'] });
    const replay = (against: object) => platform.client.retrievals.replay(traceId, { against });
    await eventually('the search is on the log', () => replay({}).catch(() => undefined));
    const { against } = await replay({ strategy: 'SparseOnly' });
    expect(against?.changes.length).toBeGreaterThan(0);
    for (const { causes } of against?.changes ?? []) expect(causes).toMatchObject([{ kind: 'request', events: [] }]);
    const { generations } = await platform.client.swaps.get('deployment');
    const standby = generations.find(({ status }) => status === 'standby')?.generation ?? '';
    const { against: before } = await replay({ generations: { deployment: standby } });
    for (const { causes } of before?.changes ?? []) expect(causes).toMatchObject([{ kind: 'request', events: [] }]);
    expect(before?.changes.length).toBeGreaterThan(0);
  });
});

describe('who may replay a search', () => {
  let platform: PlatformUnderTest;
  let traceId: string;

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder());
    await platform.client.knowledgeBases.create({ id: 'red', scope: 'team:red' });
    await submitText(platform.client, { sourceId: 'red.md', text: 'The red buoy is at the reef.', knowledgeBase: 'red' });
    ({ traceId } = await platform.client.search({ query: 'red buoy' }));
    await eventually('the search is on the log', async () => (await replay({ query: 'red buoy' })).status === 200 || undefined);
  });
  afterAll(() => platform.stop());

  const replay = (json: object, key?: string) =>
    platform.ask(`POST /v1/retrievals/${traceId}/replay`, { json, ...(key === undefined ? {} : { key }) });

  it('needs the text where queries are not recorded, and compares it with the digest on the record', async () => {
    expectProblem(await replay({}), 400, 'InvalidValue', { field: /^query$/ });
    const { detail } = expectProblem(await replay({ query: 'red buoys' }), 400, 'InvalidValue', { field: /^query$/ });
    expect(detail).toContain('to the letter');
    const { json } = await replay({ query: 'red buoy' });
    expect(json).toMatchObject({ sameHits: true, hits: [{ source: 'red.md', text: 'The red buoy is at the reef.' }] });
  });

  it('is its caller or an admin, if they may read every scope that was searched', async () => {
    const keyOf = async (more: object) =>
      (await platform.client.operations.createApiKey({ name: 'k', teams: ['red'], roles: ['reader'], ...more })).key;
    for (const key of [
      await keyOf({}),
      await keyOf({ roles: ['writer'] }),
      await keyOf({ teams: ['blue'], roles: ['admin'] }),
      await keyOf({ tenant: 'other', teams: ['*'], roles: ['admin'] }),
    ])
      expectProblem(await replay({ query: 'red buoy' }, key), 404, 'NotFound');
    expect((await replay({ query: 'red buoy' }, await keyOf({ roles: ['admin'] }))).status).toBe(200);
  });

  it('leaves out in bulk what is not recorded, and what others searched', async () => {
    const bulk = async (key?: string) =>
      (await platform.ask('POST /v1/retrievals/replay', { json: {}, ...(key === undefined ? {} : { key }) })).json;
    expect(await bulk()).toMatchObject({ summary: { replayed: 0 }, retrievals: [], skipped: [{ traceId, reason: 'query' }] });
    for (const more of [
      { teams: ['red'], roles: ['reader'] },
      { teams: ['blue'], roles: ['admin'] },
      { tenant: 'other', teams: ['*'], roles: ['admin'] },
    ]) {
      const { key } = await platform.client.operations.createApiKey({ name: 'k', ...more });
      expect(await bulk(key)).toEqual({
        summary: { replayed: 0, identical: 0, changed: 0, gained: 0, lost: 0, moved: 0, causes: [], skipped: [] },
        ...{ retrievals: [], skipped: [] },
      });
    }
    const { key } = await platform.client.operations.createApiKey({ name: 'k', teams: ['blue'], roles: ['reader'] });
    const ofRed = await platform.ask('POST /v1/retrievals/replay', { json: { knowledgeBase: 'red' }, key });
    const ofNone = await platform.ask('POST /v1/retrievals/replay', { json: { knowledgeBase: 'green' }, key });
    expect(expectProblem(ofRed, 404, 'NotFound').detail?.replace('red', 'green')).toBe(expectProblem(ofNone, 404, 'NotFound').detail);
  });

  it('says what is wrong with a request', async () => {
    for (const [json, field] of [
      [{ query: 'red buoy', against: { asOf: 'yesterday' } }, 'against.asOf'],
      [{ query: 'red buoy', against: { asOf: '99999999999' } }, 'against.asOf'],
      [{ query: 'red buoy', against: { generations: { deployment: 'g9' } } }, 'against.generations.deployment'],
      [{ query: 'red buoy', against: { filter: { eq: { field: 'nothing' } } } }, 'against.filter'],
      [{ query: 'red buoy', against: { colour: 'red' } }, 'against.colour'],
      [{ query: '' }, 'query'],
    ] as const) {
      const problem = expectProblem(await replay(json), 400, 'InvalidValue');
      expect(problem.field).toContain(field);
    }
    expectProblem(await platform.ask('POST /v1/retrievals/none/replay', { json: {} }), 400, 'InvalidValue', { field: /traceId/ });
    const other = '01a21f2a-cfeb-74b4-9403-be3239ada940';
    expectProblem(await platform.ask(`POST /v1/retrievals/${other}/replay`, { json: {} }), 404, 'NotFound');
  });
});
