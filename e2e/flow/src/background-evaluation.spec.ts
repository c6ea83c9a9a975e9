import type { SwapView } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';

const DOCUMENTS = 12;
/** More words than a query of the evaluation has. */
const textOf = (n: number): string =>
  `harbour${n} received ships${n} with rope${n}, salt${n}, timber${n} and wine${n} from captain${n} in the morning`;
const WAIT_MS = 240_000;
const SWAP = '/v1/scopes/deployment/swap';

describe('an evaluation in the background', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const swap = (): Promise<SwapView> => platform.client.swaps.get('deployment');
  const runThat = (what: string, is: (run: NonNullable<SwapView['evaluationRun']>) => boolean) =>
    eventually(
      what,
      async () => {
        const { evaluationRun } = await swap();
        return evaluationRun && is(evaluationRun) ? evaluationRun : undefined;
      },
      WAIT_MS,
    );
  const start = () => platform.ask(`POST ${SWAP}/evaluation`, { json: { seed: 3 } });
  /** The new model answers this number of queries, and the others once it is released. */
  const holdAfter = (queries: number): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let asked = 0;
    standIn.beforeAnswer = async (texts) => {
      const isQuery = texts.length === 1 && (texts[0] ?? '').split(/\s+/).length <= 10;
      if (isQuery && ++asked > queries) await promise;
    };
    return resolve;
  };

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(data);
    for (let n = 0; n < DOCUMENTS; n++) await submitText(platform.client, { sourceId: `${n}.md`, text: textOf(n) });
    expect((await platform.stop()).code).toBe(0);
    platform = await PlatformUnderTest.start(data, standIn.settings('good'));
  });

  it('is refused at once without anything to evaluate', async () => {
    expectProblem(await start(), 409, 'Conflict');
    expect(await swap()).not.toHaveProperty('evaluationRun');
  });

  it('is answered at once, shows its progress, and refuses a second one', async () => {
    await platform.client.swaps.start('deployment', { embeddingVersion: 'openai:good/64', cutover: 'manual' });
    await eventually('the generation is built', async () => ((await swap()).state === 'ready' ? true : undefined), WAIT_MS);
    const release = holdAfter(4);
    const started = await start();
    expect(started).toMatchObject({
      status: 202,
      json: {
        scope: 'deployment',
        evaluationRun: { state: 'evaluating', by: 'person' },
        status: SWAP,
        result: `${SWAP}/evaluation`,
      },
    });
    const run = await runThat('queries are asked', ({ queries }) => queries?.done === 4);
    expect(run).toEqual({ ...(started.json['evaluationRun'] as object), queries: { done: 4, total: DOCUMENTS } });
    const refused = await start();
    expectProblem(refused, 409, 'Conflict');
    expect(refused.json['detail']).toMatch(
      /^scope "deployment" is being evaluated since .+, 4 of 12 queries so far; ask again when it has ended$/,
    );
    // The form that waits is refused, too, and so is a status to another tenant.
    expectProblem(await platform.ask(`POST ${SWAP}/evaluate`), 409, 'Conflict');
    const { key: stranger } = await platform.client.operations.createApiKey({ name: 'stranger', roles: ['admin'], tenant: 'other' });
    expectProblem(await platform.ask(`POST ${SWAP}/evaluation`, { key: stranger }), 404, 'NotFound');
    expectProblem(await platform.ask(`GET ${SWAP}`, { key: stranger }), 404, 'NotFound');
    expectProblem(await platform.ask(`GET ${SWAP}/evaluation`), 404, 'NotFound');
    release();
    const { run: id } = run;
    expect(await runThat('it is complete', ({ state }) => state !== 'evaluating')).toMatchObject({
      ...{ run: id, state: 'complete' },
      queries: { done: DOCUMENTS, total: DOCUMENTS },
    });
    expect(await platform.client.swaps.evaluation('deployment')).toMatchObject({ seed: 3, by: 'person', generation: 'g2' });
  });

  it('ends with its process, which shows nothing that runs after its next start', async () => {
    const before = await platform.client.swaps.evaluation('deployment');
    const release = holdAfter(2);
    await platform.client.swaps.startEvaluation('deployment');
    await runThat('queries are asked', ({ queries }) => queries?.done === 2);
    await platform.kill();
    release();
    platform = await PlatformUnderTest.start(data, standIn.settings('good'));
    expect(await swap()).not.toHaveProperty('evaluationRun');
    expect(await platform.client.swaps.evaluation('deployment')).toEqual(before);
    expect(await platform.client.swaps.evaluate('deployment', { seed: 4 })).toMatchObject({ seed: 4 });
    expect((await swap()).evaluationRun).toMatchObject({ state: 'complete', by: 'person' });
  });

  it('ends when its process is stopped, without waiting for the model', async () => {
    const release = holdAfter(1);
    await platform.client.swaps.startEvaluation('deployment');
    await runThat('queries are asked', ({ queries }) => queries?.done === 1);
    expect((await platform.stop()).code).toBe(0);
    release();
  });
});
