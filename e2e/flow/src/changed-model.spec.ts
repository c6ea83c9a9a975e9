import type { SwapView } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';

const STAND_IN = 'openai:stand-in/64';
const DOCUMENTS = 40;
const textOf = (n: number): string => `Entry number ${n} of the log book speaks of the harbour${n} and its ships.`;
const PATIENCE_MS = 120_000;

describe('a model that changes under its name', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const swap = (): Promise<SwapView> => platform.client.swaps.get('deployment');
  const until = (state: SwapView['state']) =>
    eventually(`the swap is ${state}`, async () => ((await swap()).state === state ? true : undefined), PATIENCE_MS);
  const best = async (query: string) => (await platform.client.search({ query, strategy: 'DenseOnly' })).hits[0]?.source;
  const stateOf = async (source: string) => (await platform.client.documents.list({ source })).documents[0];

  beforeAll(async () => {
    const data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    const first = await PlatformUnderTest.start(data);
    for (let n = 0; n < DOCUMENTS; n++) await submitText(first.client, { sourceId: `${n}.md`, text: textOf(n) });
    await first.stop();
    platform = await PlatformUnderTest.start(data, standIn.settings());
  });

  it('in the middle of a swap pauses it with a reason, also when it is resumed; searches go on', async () => {
    const { promise: exchanged, resolve: exchange } = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    let documents = 0;
    standIn.beforeAnswer = async (texts) => {
      documents += texts.filter((text) => text.startsWith('Entry number')).length;
      if (documents < 8) return;
      held.resolve();
      await exchanged;
    };
    await platform.client.swaps.start('deployment', { embeddingVersion: STAND_IN, cutover: 'manual' });
    await held.promise;
    standIn.exchangedFor = 'another';
    exchange();
    await until('paused');
    const paused = {
      by: 'platform',
      reason: expect.stringMatching(/^the model openai:stand-in\/64 changed under its name: .* a cosine of -?0\.\d{3} .* or cancel/),
    };
    expect((await swap()).swap).toMatchObject({ paused });
    expect(await best(textOf(3))).toBe('3.md');
    await platform.client.swaps.resume('deployment');
    await until('paused');
    expect((await swap()).swap).toMatchObject({ paused });
    expectProblem(await platform.ask('POST /v1/scopes/deployment/swap/cutover'), 409, 'Conflict');
  });

  it('and back continues the swap, and no vector of the other model is in the generation', async () => {
    standIn.exchangedFor = undefined;
    await platform.client.swaps.resume('deployment');
    await until('ready');
    expect(await platform.client.swaps.evaluate('deployment')).toMatchObject({
      coverage: { chunks: DOCUMENTS, refused: 0, unexplained: 0 },
      spotCheck: { checked: DOCUMENTS, mismatched: 0 },
      canaryStrings: { strings: 6 },
    });
    await platform.client.swaps.cutOver('deployment');
    await eventually('all searches use the new generation', async () => ((await best(textOf(5))) === '5.md' ? true : undefined));
  });

  it('lets new documents wait visibly, and searches find words, until it is the same again', async () => {
    standIn.exchangedFor = 'another';
    await platform.client.documents.submitText({ sourceId: 'meanwhile.md', text: 'Salt dries in shallow ponds.' });
    await eventually('the document waits', async () =>
      (await stateOf('meanwhile.md'))?.reason === 'waiting-for-model' ? true : undefined,
    );
    expect((await stateOf('meanwhile.md'))?.detail).toContain('another model has this name now');
    expect((await platform.client.search({ query: 'harbour7' })).hits[0]?.source).toBe('7.md');
    standIn.exchangedFor = undefined;
    await eventually(
      'the document is indexed',
      async () => ((await stateOf('meanwhile.md'))?.status === 'indexed' ? true : undefined),
      PATIENCE_MS,
    );
    expect(await best('Salt dries in shallow ponds.')).toBe('meanwhile.md');
    expect((await platform.client.operations.verify()).clean).toBe(true);
  });
});
