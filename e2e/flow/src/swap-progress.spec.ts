import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';
import { followingClient, ServerSent } from './server-sent.ts';

const MODEL = 'openai:stand-in/64';
const DOCUMENTS = 12;
const textOf = (n: number): string => `Entry number ${n} of the log book speaks of the harbour${n} and its ships.`;
const PROGRESS = '/v1/scopes/deployment/swap/progress';
const WAIT_MS = 240_000;

describe('the progress of a swap as a stream', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let held: Promise<void> | undefined;
  const open = (lastEventId?: string): Promise<ServerSent> => ServerSent.open(platform.url, platform.key, PROGRESS, lastEventId);
  const states = (stream: ServerSent): readonly unknown[] =>
    stream.messages.filter(({ event }) => event === 'swap').map(({ data }) => data['state']);
  const seen = (stream: ServerSent, state: string) =>
    eventually(`the stream shows ${state}`, () => Promise.resolve(states(stream).includes(state) || undefined), WAIT_MS);

  beforeAll(async () => {
    const data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    const first = await PlatformUnderTest.start(data);
    for (let n = 0; n < DOCUMENTS; n++) await submitText(first.client, { sourceId: `${n}.md`, text: textOf(n) });
    expect((await first.stop()).code).toBe(0);
    platform = await PlatformUnderTest.start(data, {
      ...standIn.settings(),
      PALIMPSEST_LIVE_STREAMS: '2',
      PALIMPSEST_REEMBEDDING_MAX_PERCENT: '50',
    });
    standIn.beforeAnswer = async (texts) => {
      if (texts.some((text) => text.startsWith('Entry number'))) await held;
    };
  });

  it('of a scope without a swap is complete at once', async () => {
    const stream = await open();
    await stream.ended;
    expect(stream.messages.map(({ event, data }) => [event, data['state'] ?? data['reason']])).toEqual([
      ['swap', 'idle'],
      ['end', 'complete'],
    ]);
  });

  it('shows each step, can be continued, and ends with the swap', async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    held = promise;
    await platform.client.swaps.start('deployment', { embeddingVersion: MODEL, cutover: 'manual' });
    const stream = await open();
    await seen(stream, 'building');
    expect(stream.messages[0]?.data['swap']).toMatchObject({ slowed: { percent: 50, because: 'cap' } });
    await platform.client.swaps.pause('deployment', 'lunch');
    await seen(stream, 'paused');
    const last = stream.messages.at(-1);
    await stream.close();
    await platform.client.swaps.resume('deployment');
    const again = await open(last?.id);
    await seen(again, 'building');
    held = undefined;
    release();
    await seen(again, 'ready');
    // The state that the caller knows is not repeated, and positions ascend.
    expect(states(again)[0]).toBe('building');
    const ids = [...stream.messages, ...again.messages].map(({ id }) => BigInt(id));
    expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    const built = again.messages.findLast(({ data }) => data['state'] === 'ready');
    expect(built?.data).toMatchObject({ scope: 'deployment', swap: { ranges: { done: 16, total: 16 }, chunks: DOCUMENTS } });
    await platform.client.swaps.cutOver('deployment');
    await again.ended;
    expect(again.messages.at(-1)).toMatchObject({ event: 'end', data: { reason: 'complete' } });
  });

  it('ends for the typed client without another connection', async () => {
    const received = [];
    for await (const { state } of followingClient(platform.url, platform.key).swaps.follow('deployment')) received.push(state);
    expect(received).toEqual(['idle']);
  });

  it('is limited for each tenant, and refused to others before it begins', async () => {
    await platform.client.swaps.rollBack('deployment');
    await platform.client.swaps.retire('deployment');
    await platform.client.swaps.start('deployment', { embeddingVersion: MODEL, cutover: 'manual' });
    // Its vectors are on the log: it is built without the model, and then waits for its cut-over.
    const opened = [await open(), await open()];
    expectProblem(await platform.ask(`GET ${PROGRESS}`), 429, 'Overloaded');
    for (const stream of opened) await stream.close();
    const { key: stranger } = await platform.client.operations.createApiKey({ name: 'stranger', roles: ['admin'], tenant: 'other' });
    expectProblem(await platform.ask(`GET ${PROGRESS}`, { key: stranger }), 404, 'NotFound');
    const { key: operator } = await platform.client.operations.createApiKey({ name: 'operator', roles: ['operator'] });
    expectProblem(await platform.ask(`GET ${PROGRESS}`, { key: operator }), 403, 'Forbidden');
    await platform.client.swaps.cancel('deployment');
  });
});
