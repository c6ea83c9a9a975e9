import type { SearchResult, SwapView } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { recordedEvents } from '@palimpsest/e2e-support/recorded-events';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';

const NEW = 'openai:stand-in/64';
const DOCUMENTS = 40;
const CONVERSATIONS = 40;
/** Most words are those of one document, so that words and any model find it. */
const textOf = (n: number): string => `harbour${n} received ships${n} with rope${n}, salt${n}, timber${n} and wine${n} from captain${n}`;
const WAIT_MS = 240_000;

describe('a canary of a swap', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let asked = 0;
  const SWAP = '/v1/scopes/deployment/swap';
  const swap = (): Promise<SwapView> => platform.client.swaps.get('deployment');
  const answers: string[] = [];

  /** One search of a conversation. Every answer of the whole spec must be right, and come from one generation. */
  const search = async (conversation: number): Promise<SearchResult> => {
    const n = asked % DOCUMENTS;
    // Another text each time: a cached vector would hide a model that fails.
    const result = await platform.client.search({
      query: `${textOf(n)} ask${asked++}`,
      conversation: `talk-${conversation}`,
      explain: true,
    });
    const generations = new Set(result.hits.map(({ explain }) => explain?.generation.generation));
    if (result.hits[0]?.source !== `${n}.md`) answers.push(`${n} found ${result.hits[0]?.source}`);
    if (generations.size !== 1) answers.push(`${[...generations].join(' and ')} in one answer`);
    return result;
  };
  const isCanary = ({ hits }: SearchResult): boolean => hits[0]?.explain?.generation.canary === true;
  /** The conversations that the canary serves, in one round. */
  const served = async (): Promise<readonly number[]> => {
    const members: number[] = [];
    for (let conversation = 0; conversation < CONVERSATIONS; conversation++)
      if (isCanary(await search(conversation))) members.push(conversation);
    return members;
  };
  /** The same in two rounds: every process knows the canary by then. */
  const settled = (what: string, isRight: (members: readonly number[]) => boolean): Promise<readonly number[]> =>
    eventually(
      what,
      async () => {
        const [first, second] = [await served(), await served()];
        return isRight(first) && first.join() === second.join() ? first : undefined;
      },
      WAIT_MS,
    );

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    const first = await PlatformUnderTest.start(data);
    for (let n = 0; n < DOCUMENTS; n++) await submitText(first.client, { sourceId: `${n}.md`, text: textOf(n) });
    expect((await first.stop()).code).toBe(0);
    platform = await PlatformUnderTest.start(data, standIn.settings());
  });

  it('needs a built generation', async () => {
    const start = (share: unknown) => platform.ask(`POST ${SWAP}/canary`, { json: { share } });
    const early = await start(5);
    expectProblem(early, 409, 'Conflict');
    expect(early.json['detail']).toMatch('start a swap first');
    expectProblem(await platform.ask(`GET ${SWAP}/canary`), 404, 'NotFound');
    expectProblem(await platform.ask(`DELETE ${SWAP}/canary`), 409, 'Conflict');
    await platform.client.swaps.start('deployment', { embeddingVersion: NEW, cutover: 'manual' });
    await eventually('the generation is built', async () => ((await swap()).state === 'ready' ? true : undefined), WAIT_MS);
    expectProblem(await start(101), 400, 'InvalidValue', { field: 'share' });
    expect(await served()).toEqual([]);
  });

  it('serves a stable share of the conversations, and keeps them when the share is raised', async () => {
    const { canary } = await platform.client.swaps.startCanary('deployment', { share: 30 });
    expect(canary).toMatchObject({ generation: 'g2', against: 'g1', share: 30 });
    const some = await settled('some conversations are served by the canary', ({ length }) => length > 0);
    expect(some.length).toBeLessThan(CONVERSATIONS);
    await platform.client.swaps.startCanary('deployment', { share: 70 });
    const more = await settled('more conversations are served by the canary', ({ length }) => length > some.length);
    expect(more).toEqual(expect.arrayContaining([...some]));
    expect(await swap()).toMatchObject({ state: 'ready', canary: { share: 70 } });
  });

  it('compares both sides while it runs, and ends when a person stops it', async () => {
    await served();
    const { comparison } = await eventually(
      'queries of both sides are compared',
      async () => {
        const view = await platform.client.swaps.canary('deployment');
        return (view.comparison?.canary.queries ?? 0) > 0 && (view.comparison?.active.queries ?? 0) > 0 ? view : undefined;
      },
      WAIT_MS,
    );
    expect(comparison).toMatchObject({ canary: { empty: 0, latencyP50: expect.any(Number) }, active: { empty: 0 }, findings: [] });
    expect(await platform.client.swaps.stopCanary('deployment')).toMatchObject({
      state: 'ready',
      canary: { ended: { reason: 'stopped' } },
    });
    expect(await settled('all callers are returned', ({ length }) => length === 0)).toEqual([]);
    // The second of two operators gets the state that holds.
    expect((await platform.client.swaps.stopCanary('deployment')).canary).toMatchObject({ ended: { reason: 'stopped' } });
  });

  it('is refused to callers without the role, and gives nothing to an operator of another tenant', async () => {
    const { key: reader } = await platform.client.operations.createApiKey({ name: 'reader', roles: ['reader'] });
    const { key: stranger } = await platform.client.operations.createApiKey({
      ...{ name: 'stranger', roles: ['admin', 'operator'], tenant: 'other' },
    });
    expectProblem(await platform.ask(`POST ${SWAP}/canary`, { key: reader, json: { share: 100 } }), 403, 'Forbidden');
    expect(await platform.ask(`GET ${SWAP}/canary`, { key: reader })).toMatchObject({ status: 200 });
    for (const method of ['POST', 'DELETE', 'GET'])
      expectProblem(
        await platform.ask(`${method} ${SWAP}/canary`, { key: stranger, ...(method === 'POST' ? { json: { share: 100 } } : {}) }),
        404,
        'NotFound',
      );
    expect((await swap()).canary).toMatchObject({ ended: { reason: 'stopped' } });
  });

  it('returns the callers when the new model fails, within 200 of their queries, and answers all of them', async () => {
    await platform.client.swaps.startCanary('deployment', { share: 50 });
    await settled('some conversations are served by the canary', ({ length }) => length > 0);
    standIn.refusal = { when: (text) => text.includes('ask'), status: 401 };
    const view = await eventually(
      'the callers are returned',
      async () => {
        await served();
        const now = await swap();
        return now.canary?.ended ? now : undefined;
      },
      WAIT_MS,
    );
    expect(view).toMatchObject({
      state: 'ready',
      generations: [{ status: 'active' }, { status: 'ready' }],
      canary: { ended: { reason: 'regression', evidence: { findings: [{ measure: 'empty' }] } } },
    });
    standIn.refusal = undefined;
    expect(await settled('all callers are returned', ({ length }) => length === 0)).toEqual([]);
  });

  it('ends with the cut-over, which everyone is served by', async () => {
    await platform.client.swaps.startCanary('deployment', { share: 50 });
    const done = await platform.client.swaps.cutOver('deployment');
    expect(done).toMatchObject({ state: 'idle', canary: { ended: { reason: 'cut-over' } } });
    await eventually(
      'all searches use the new generation',
      async () => ((await search(0)).hits[0]?.explain?.generation.generation === 'g2' ? true : undefined),
      WAIT_MS,
    );
    expect(await served()).toEqual([]);
  });

  it('never failed, mixed or mistook an answer, and left no conversation on the log', async () => {
    expect(answers).toEqual([]);
    expect((await platform.stop()).code).toBe(0);
    const events = await recordedEvents(data);
    expect(events.filter(({ type }) => type === 'CanaryStarted')).toHaveLength(4);
    expect(events.filter(({ type }) => type === 'CanaryEnded').map(({ data: { reason } }) => reason)).toEqual([
      'stopped',
      'regression',
      'cut-over',
    ]);
    const retrievals = events.filter(({ type }) => type === 'KnowledgeRetrieved');
    expect(retrievals.length).toBeGreaterThan(100);
    expect(JSON.stringify(retrievals)).not.toContain('talk-');
    expect(JSON.stringify(retrievals)).toContain('"canary":true');
  });
});
