import type { EvaluationView, PalimpsestClient } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { recordedEvents } from '@palimpsest/e2e-support/recorded-events';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit';

const DOCUMENTS = 6;
const textOf = (n: number): string => `harbour${n} received ships${n} with rope${n}, salt${n}, timber${n} and wine${n} from captain${n}`;
const WAIT_MS = 240_000;
const OF_THE_TEAM = ['who brought rope1 and salt1', 'where is captain2'];
const OF_ANN = 'what did harbour3 receive for ann';
const OF_A_STRANGER = 'what does another tenant want';
const REFUSED = 'a question that the new model refuses';
const WORDS = /who brought|where is captain|for ann|another tenant|model refuses/;

describe('the past queries of an evaluation', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let searches = 0;
  const evaluate = (): Promise<EvaluationView> => platform.client.swaps.evaluate('deployment', { seed: 1 });
  const retrievals = async () => (await recordedEvents(data)).filter(({ type }) => type === 'KnowledgeRetrieved');
  /** Searches again until the query is recorded: the process that searches learns of a limit a moment after it was set. */
  const recorded = (query: string, client: PalimpsestClient): Promise<unknown> =>
    eventually(
      `"${query}" is recorded`,
      async () => {
        await client.search({ query });
        searches++;
        const { events } = await client.events.list({ types: ['KnowledgeRetrieved'], limit: 1 });
        return (events[0]?.data as { query?: string } | undefined)?.query === query ? true : undefined;
      },
      WAIT_MS,
    );

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(data);
    for (let n = 0; n < DOCUMENTS; n++) await submitText(platform.client, { sourceId: `${n}.md`, text: textOf(n) });
    const { tenants, operations } = platform.client;
    const ann = platform.as((await operations.createApiKey({ name: 'ann', roles: ['reader'], user: 'ann' })).key);
    const stranger = platform.as((await operations.createApiKey({ name: 'other', roles: ['admin'], tenant: 'other' })).key);
    await submitText(stranger, { sourceId: 'other.md', text: textOf(1) });
    for (const tenant of ['default', 'other']) await tenants.setLimits(tenant, { overrides: { recordQueries: true } });
    await recorded(OF_A_STRANGER, stranger);
    for (const query of [...OF_THE_TEAM, REFUSED]) await recorded(query, platform.client);
    await recorded(OF_ANN, ann);
    expect((await platform.stop()).code).toBe(0);
    standIn.refusal = { when: (text) => text.includes(REFUSED), status: 400 };
    platform = await PlatformUnderTest.start(data, standIn.settings('new'));
    await platform.client.swaps.start('deployment', { embeddingVersion: 'openai:new/64', cutover: 'manual' });
    await eventually(
      'the generation is ready',
      async () => ((await platform.client.swaps.get('deployment')).state === 'ready' ? true : undefined),
      WAIT_MS,
    );
  });

  it('are asked on both sides, each once, and only those of the tenant', async () => {
    const asked = await standIn.askedDuring(async () => {
      const evaluation = await evaluate();
      expect(evaluation).toMatchObject({
        ...{ verdict: 'undecided', decidedBy: 'self', unsettled: 0 },
        past: { used: 3, agreement: { overlap: expect.any(Number) }, withoutResults: { before: 0, after: 0 } },
      });
      // The refused one, and searches from before the limit was known.
      expect(evaluation.past?.leftOut).toBeGreaterThanOrEqual(1);
      expect(JSON.stringify(evaluation)).not.toMatch(WORDS);
      expect(await platform.client.swaps.evaluation('deployment')).toEqual(evaluation);
    });
    expect(asked.filter((text) => WORDS.test(text)).sort()).toEqual([...OF_THE_TEAM, OF_ANN, REFUSED].sort());
  });

  it('are those of the window that the request names', async () => {
    const { client } = platform;
    const { events } = await client.events.list({ types: ['KnowledgeRetrieved'], limit: 200 });
    const second = events.filter((event) => (event.data as { query?: string } | undefined)?.query === OF_THE_TEAM[1]);
    const [newest, oldest] = [second[0], second.at(-1)];
    const position = newest?.position ?? '';
    for (const [pastQueries, expected] of [
      [{ after: position }, [OF_ANN, REFUSED]],
      [{ before: oldest?.position }, [OF_THE_TEAM[0]]],
      [{ after: position, before: newest?.recordedAt }, []],
    ] as const) {
      const asked = await standIn.askedDuring(async () => {
        const { past } = await client.swaps.evaluate('deployment', { seed: 1, pastQueries });
        expect(past).toMatchObject({ used: expected.filter((text) => text !== REFUSED).length, window: pastQueries });
      });
      expect(asked.filter((text) => WORDS.test(text)).sort()).toEqual([...expected].sort());
    }
    for (const [json, field] of [
      [{ pastQueries: { after: 'yesterday' } }, /pastQueries\.after/],
      [{ pastQueries: { since: position } }, /pastQueries/],
    ] as const)
      expectProblem(await platform.ask('POST /v1/scopes/deployment/swap/evaluate', { json }), 400, 'InvalidValue', { field });
    const json = { embeddingVersion: 'openai:new/64', cutover: 'manual', pastQueries: { after: position } };
    expectProblem(await platform.ask('POST /v1/scopes/deployment/swap', { json }), 400, 'InvalidValue', { field: /^pastQueries$/ });
  });

  it('are not used after the tenant withdraws its consent', async () => {
    await platform.client.tenants.setLimits('default', { overrides: { recordQueries: null } });
    // The process that evaluates learns of it a moment later.
    await eventually('they are not used', async () => ((await evaluate()).past === undefined ? true : undefined), WAIT_MS);
    const asked = await standIn.askedDuring(evaluate);
    expect(asked.filter((text) => WORDS.test(text))).toEqual([]);
  });

  it('leave numbers on the log, no text and no further retrieval record', async () => {
    const output = platform.stderr;
    expect((await platform.stop()).code).toBe(0);
    expect(output).not.toMatch(WORDS);
    const [first] = (await recordedEvents(data)).filter(({ type }) => type === 'GenerationEvaluated');
    expect(first?.data).toMatchObject({ past: { used: 3 } });
    expect(first?.data).not.toHaveProperty('pastQueries');
    expect(JSON.stringify(first?.data)).not.toMatch(WORDS);
    expect(await retrievals()).toHaveLength(searches);
  });
});
