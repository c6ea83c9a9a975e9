import { pause } from '@palimpsest/foundation';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

const CAPACITY = 3;

describe('more documents than the platform can process', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let release: () => void = () => undefined;

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), { ...standIn.settings(), PALIMPSEST_QUEUE_CAPACITY: String(CAPACITY) });
  });
  /** From now on no document is processed until `release`. */
  const hold = (): void => {
    const held = new Promise<void>((resolve) => (release = resolve));
    standIn.beforeAnswer = () => held;
  };
  const allProcessed = (): Promise<true> =>
    eventually('all documents are processed', async () => {
      const { queue, log, projections } = await platform.client.operations.status();
      return queue.depth === 0 && projections?.every(({ position }) => position === log?.position) ? true : undefined;
    });
  afterEach(async () => {
    release();
    await allProcessed();
  });

  const submit = (name: string) => platform.ask('POST /v1/documents', { json: { sourceId: `${name}.md`, text: `Text of ${name}.` } });

  it('are refused with a Retry-After, however many are submitted at the same time', async () => {
    hold();
    const answers = await Promise.all(Array.from({ length: 25 }, (_, i) => submit(`burst${i}`)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(CAPACITY);
    expect(refused).toHaveLength(25 - CAPACITY);
    for (const answer of refused) {
      expectProblem(answer, 429, 'Overloaded');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(answer.json['retryAfterSeconds']).toBe(Number(answer.headers.get('retry-after')));
    }
    const listed = async () => (await platform.client.documents.list({ source: 'burst', limit: 100 })).documents;
    await eventually('the accepted documents are listed', async () => ((await listed()).length === CAPACITY ? true : undefined));
    // After the queue was counted again, it is as full as before.
    await pause(600);
    expectProblem(await submit('later'), 429, 'Overloaded');
    expect((await platform.client.operations.status()).queue).toEqual({ depth: CAPACITY, capacity: CAPACITY });
  });

  it('in one upload are accepted or rejected one by one', async () => {
    hold();
    const files = Array.from({ length: 6 }, (_, i) => ({ name: `file${i}.md`, content: Buffer.from(`File number ${i}.`) }));
    const { documents } = await platform.client.documents.upload(files);
    expect(documents.map(({ status }) => status)).toEqual([
      ...Array<string>(CAPACITY).fill('accepted'),
      ...Array<string>(6 - CAPACITY).fill('rejected'),
    ]);
    for (const document of documents) if (document.status === 'rejected') expect(document.error.code).toBe('Overloaded');
  });

  it('that already exist are skipped, however full the queue is', async () => {
    await submitText(platform.client, { sourceId: 'known.md', text: 'Text of known.' });
    await allProcessed();
    hold();
    for (let i = 0; i < CAPACITY; i++) expect((await submit(`filler${i}`)).status).toBe(202);
    expect((await submit('one-too-many')).status).toBe(429);
    expect((await submit('known')).json['documents']).toMatchObject([{ status: 'skipped' }]);
  });

  it('are all indexed if writers retry when they are refused', async () => {
    standIn.beforeAnswer = () => pause(20);
    let refusals = 0;
    const write = async (i: number): Promise<void> => {
      for (;;) {
        const answer = await submit(`patient${i}`);
        if (answer.status === 202) return;
        expectProblem(answer, 429, 'Overloaded');
        refusals++;
        await pause(100);
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, i) => write(i)));
    expect(refusals).toBeGreaterThan(0);
    await allProcessed();
    const { documents } = await platform.client.documents.list({ source: 'patient', status: 'indexed', limit: 100 });
    expect(documents).toHaveLength(20);
  });
});
