import type { PalimpsestClient, SubmissionResult } from '@palimpsest/client';
import { EmbeddingStandIn } from './embedding-stand-in.ts';
import { eventually, pause } from './eventually.ts';
import { accepted } from './hand-in.ts';
import { aDataFolder, PlatformUnderTest } from './platform-under-test.ts';

const OF_A = 300;
/** What may lie on the bus before a newcomer, and as much again for what is being worked on or was asked for twice. */
const MOST_BEFORE_B = 64;

describe('one tenant with many documents and another with a single one', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let b: PalimpsestClient;
  let ofB: SubmissionResult;

  const start = async (data: string): Promise<PlatformUnderTest> => PlatformUnderTest.start(data, standIn.settings());
  const depth = async (): Promise<number> => (await platform.client.operations.status()).queue.depth;
  const within = (count: number, most: number): number | undefined => (count < most ? count : undefined);
  const indexed = async (): Promise<number> => (await platform.client.operations.status()).documents.indexed;

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    platform = await start(await aDataFolder());
    b = platform.as((await platform.client.operations.createApiKey({ name: 'b', tenant: 'b', roles: ['writer'] })).key);
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    standIn.beforeAnswer = () => held;
    const files = Array.from({ length: OF_A }, (_, i) => ({ name: `a${i}.md`, content: Buffer.from(`Document number ${i} of tenant A.`) }));
    for (let from = 0; from < OF_A; from += 50) accepted(await platform.client.documents.upload(files.slice(from, from + 50)));
    ofB = await b.documents.submitText({ sourceId: 'single.md', text: 'The single zebra of tenant B.' });
    await eventually('all of it is known to wait', async () => ((await depth()) === OF_A + 1 ? true : undefined));
    standIn.beforeAnswer = () => pause(30);
    letGo();
  });

  it('does not let the single one wait for all the others', async () => {
    await b.waitFor(accepted(ofB), { pollMs: 20 });
    const { hits } = await b.search({ query: 'zebra', atLeast: ofB.position });
    expect(hits.map(({ text }) => text)).toEqual(['The single zebra of tenant B.']);
    expect((await indexed()) - 1).toBeLessThan(OF_A / 2);
    expect(standIn.texts.findIndex((text) => text.includes('zebra'))).toBeLessThan(MOST_BEFORE_B);
  });

  it('counts all that waits, wherever it does', async () => {
    // A count is trusted for a moment: the one from before any of it was indexed may still be.
    const waiting = await eventually('what was indexed is counted off', async () => within(await depth(), OF_A));
    expect(waiting).toBeGreaterThan(MOST_BEFORE_B);
  });

  it('loses nothing of what waited when the process is killed, and indexes each of them once', async () => {
    await platform.kill();
    standIn.beforeAnswer = () => Promise.resolve();
    platform = await start(platform.data);
    await eventually('everything is indexed', async () => ((await indexed()) === OF_A + 1 ? true : undefined));
    await eventually('nothing waits', async () => ((await depth()) === 0 ? true : undefined));
    const ofA = await platform.client.documents.list({ status: 'indexed', limit: 500 });
    expect(ofA.documents.map(({ version, chunks }) => ({ version, chunks }))).toEqual(Array.from({ length: OF_A }, () => ({ version: 1, chunks: 1 })));
    expect(new Set(standIn.texts.filter((text) => text.includes('of tenant'))).size).toBe(OF_A + 1);
  });
});
