import type { PalimpsestClient, SubmissionResult } from '@palimpsest/client';
import { pause } from '@palimpsest/foundation';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { accepted } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

const OF_A = 300;
/** Documents that may be on the bus before a new one, doubled to allow for documents in progress or requested twice. */
const MAX_BEFORE_B = 64;

describe('one tenant with many documents and another with a single one', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let b: PalimpsestClient;
  let ofB: SubmissionResult;

  const start = async (data: string): Promise<PlatformUnderTest> => PlatformUnderTest.start(data, standIn.settings());
  const depth = async (): Promise<number> => (await platform.client.operations.status()).queue.depth;
  const within = (count: number, max: number): number | undefined => (count < max ? count : undefined);
  const indexed = async (): Promise<number> => (await platform.client.operations.status()).documents.indexed;

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    platform = await start(await aDataFolder());
    b = platform.as((await platform.client.operations.createApiKey({ name: 'b', tenant: 'b', roles: ['writer'] })).key);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    standIn.beforeAnswer = () => held;
    const files = Array.from({ length: OF_A }, (_, i) => ({ name: `a${i}.md`, content: Buffer.from(`Document number ${i} of tenant A.`) }));
    for (let from = 0; from < OF_A; from += 50) accepted(await platform.client.documents.upload(files.slice(from, from + 50)));
    ofB = await b.documents.submitText({ sourceId: 'single.md', text: 'The single zebra of tenant B.' });
    await eventually('all documents are counted in the queue', async () => ((await depth()) === OF_A + 1 ? true : undefined));
    standIn.beforeAnswer = () => pause(30);
    release();
  });

  it('does not make the single document wait for all others', async () => {
    await b.waitFor(accepted(ofB), { pollMs: 20 });
    const { hits } = await b.search({ query: 'zebra', atLeast: ofB.position });
    expect(hits.map(({ text }) => text)).toEqual(['The single zebra of tenant B.']);
    expect((await indexed()) - 1).toBeLessThan(OF_A / 2);
    expect(standIn.texts.findIndex((text) => text.includes('zebra'))).toBeLessThan(MAX_BEFORE_B);
  });

  it('counts all waiting documents, wherever they wait', async () => {
    // Counts are cached for a moment: the count may still be from before the first document was indexed.
    const waiting = await eventually('indexed documents have left the queue', async () => within(await depth(), OF_A));
    expect(waiting).toBeGreaterThan(MAX_BEFORE_B);
  });

  it('loses no waiting document when the process is killed, and indexes each of them once', async () => {
    await platform.kill();
    standIn.beforeAnswer = () => Promise.resolve();
    platform = await start(platform.data);
    await eventually('everything is indexed', async () => ((await indexed()) === OF_A + 1 ? true : undefined));
    await eventually('the queue is empty', async () => ((await depth()) === 0 ? true : undefined));
    const ofA = await platform.client.documents.list({ status: 'indexed', limit: 500 });
    expect(ofA.documents.map(({ version, chunks }) => ({ version, chunks }))).toEqual(
      Array.from({ length: OF_A }, () => ({ version: 1, chunks: 1 })),
    );
    expect(new Set(standIn.texts.filter((text) => text.includes('of tenant'))).size).toBe(OF_A + 1);
  });
});
