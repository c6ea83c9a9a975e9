import type { SwapView } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { recordedEvents } from '@palimpsest/e2e-support/recorded-events';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';

const BUILT_IN = 'onnx:all-minilm-l6-v2-int8/384';
const DOCUMENTS = 60;
/** Most words are those of one document, so that a bag of words finds it as well as a real model does. */
const textOf = (n: number): string => `harbour${n} received ships${n} with rope${n}, salt${n}, timber${n} and wine${n} from captain${n}`;
const WAIT_MS = 240_000;

describe('a swap with a gate', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const SWAP = '/v1/scopes/deployment/swap';
  const swap = (): Promise<SwapView> => platform.client.swaps.get('deployment');
  const restart = async (model: string): Promise<void> => {
    expect((await platform.stop()).code).toBe(0);
    platform = await PlatformUnderTest.start(data, standIn.settings(model));
  };
  const evaluated = (): Promise<SwapView> =>
    eventually(
      'the new generation is evaluated',
      async () => {
        const view = await swap();
        return view.evaluation !== undefined && view.evaluation.generation === view.swap?.generation ? view : undefined;
      },
      WAIT_MS,
    );
  const best = async (n: number) => (await platform.client.search({ query: textOf(n), strategy: 'DenseOnly' })).hits[0]?.source;

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(data);
    for (let n = 0; n < DOCUMENTS; n++) await submitText(platform.client, { sourceId: `${n}.md`, text: textOf(n) });
    await restart('mixing');
  });

  it('has nothing to evaluate before a swap', async () => {
    expectProblem(await platform.ask(`GET ${SWAP}/evaluation`), 404, 'NotFound');
    expectProblem(await platform.ask(`POST ${SWAP}/evaluate`), 409, 'Conflict');
  });

  it('stops a model that mixes up its texts, and names the reason', async () => {
    standIn.mixesUp = true;
    const pastQueries = { after: '2026-11-01T00:00:00.000Z' };
    await platform.client.swaps.start('deployment', { embeddingVersion: 'openai:mixing/64', cutover: 'gate', pastQueries });
    const stopped = await evaluated();
    expect(stopped).toMatchObject({
      state: 'ready',
      swap: { cutover: 'gate', pastQueries },
      generations: [{ status: 'active', embeddingVersion: BUILT_IN }, { status: 'ready' }],
      evaluation: { verdict: 'worse', against: 'g1', reasons: [expect.stringMatching(/have another vector than the model returns/)] },
    });
    expect(await best(7)).toBe('7.md');
    expect(await platform.client.swaps.evaluation('deployment')).toMatchObject({ by: 'platform', decidedBy: 'faults' });
  });

  it('is cut over against the verdict only with a reason, which is in the audit trail', async () => {
    const refused = await platform.ask(`POST ${SWAP}/cutover`);
    expectProblem(refused, 409, 'Conflict');
    expect(refused.json['detail']).toMatch('evaluated as worse than g1');
    expectProblem(await platform.ask(`POST ${SWAP}/cutover`, { json: { force: true } }), 400, 'InvalidValue', { field: 'reason' });
    const reason = 'the old model is switched off today';
    expect(await platform.client.swaps.cutOver('deployment', reason)).toMatchObject({
      generations: [{ status: 'standby' }, { status: 'active' }],
    });
    const { entries } = await platform.client.operations.audit({ limit: 50 });
    expect(entries.filter(({ forcedBecause }) => forcedBecause !== undefined)).toMatchObject([
      { operation: '/v1/scopes/:scope/swap/cutover', status: 200, forcedBecause: reason, targets: ['deployment'] },
    ]);
    await platform.client.swaps.rollBack('deployment');
    await platform.client.swaps.retire('deployment', 'g2');
  });

  it('cuts over to a good model automatically', async () => {
    standIn.mixesUp = false;
    await restart('good');
    await platform.client.swaps.start('deployment', { embeddingVersion: 'openai:good/64', cutover: 'gate' });
    expect(await evaluated()).toMatchObject({ evaluation: { verdict: 'not-worse', generation: 'g3' } });
    const done = await eventually('the generation is active', async () => ((await swap()).state === 'idle' ? swap() : undefined), WAIT_MS);
    expect(done.generations).toMatchObject([{ status: 'standby' }, { status: 'retired' }, { status: 'active' }]);
    const evaluation = await platform.client.swaps.evaluation('deployment');
    expect(evaluation).toMatchObject({
      ...{ by: 'platform', decidedBy: 'self', margin: 0.02 },
      coverage: { chunks: DOCUMENTS, refused: 0, unexplained: 0 },
      measures: [{ source: 'self', queries: DOCUMENTS, verdict: 'not-worse' }],
      spotCheck: { checked: DOCUMENTS, mismatched: 0 },
    });
    expect(await best(7)).toBe('7.md');
  });

  it('evaluates the generation in standby on demand, without retrieval records', async () => {
    const standby = await platform.client.swaps.evaluate('deployment', { seed: 3 });
    expect(standby).toMatchObject({ generation: 'g1', against: 'g3', by: 'person', seed: 3 });
    expect(await platform.client.swaps.evaluation('deployment')).toEqual(standby);
  });

  it('asks golden queries first, once there are enough', async () => {
    const queries = Array.from({ length: DOCUMENTS }, (_, n) => ({
      id: `q${n}`,
      text: `where do ships${n} and captain${n} come from?`,
      synthetic: false,
      judgements: [{ source: `${n}.md`, grade: 1 }],
    }));
    await platform.client.golden.import({ scope: 'deployment', set: 'ships' }, queries);
    expect(await platform.client.swaps.evaluate('deployment')).toMatchObject({
      decidedBy: 'golden',
      golden: { used: DOCUMENTS, synthetic: 0, unusable: 0 },
      sets: [{ name: 'ships', version: 1, queries: DOCUMENTS }],
    });
  });

  it('is refused to callers without the role, and finds nothing for another tenant', async () => {
    const { key: reader } = await platform.client.operations.createApiKey({ name: 'reader', roles: ['reader'] });
    const { key: stranger } = await platform.client.operations.createApiKey({ name: 'stranger', roles: ['admin'], tenant: 'other' });
    expectProblem(await platform.ask(`POST ${SWAP}/evaluate`, { key: reader }), 403, 'Forbidden');
    expect(await platform.ask(`GET ${SWAP}/evaluation`, { key: reader })).toMatchObject({ status: 200 });
    for (const route of [`POST ${SWAP}/evaluate`, `GET ${SWAP}/evaluation`])
      expectProblem(await platform.ask(route, { key: stranger }), 404, 'NotFound');
  });

  it('leaves no text of a query on the log in the clear, and no retrieval record', async () => {
    expect((await platform.stop()).code).toBe(0);
    const events = await recordedEvents(data);
    const evaluations = events.filter(({ type }) => type === 'GenerationEvaluated');
    expect(evaluations).toHaveLength(4);
    for (const { data: recorded } of evaluations) {
      expect(JSON.stringify(recorded)).not.toMatch(/harbour|captain/);
      expect(recorded).toHaveProperty('sealed');
      expect(recorded).not.toHaveProperty('queries');
    }
    // The searches of this spec itself are the only ones.
    expect(events.filter(({ type }) => type === 'KnowledgeRetrieved')).toHaveLength(2);
  });
});
