import { expectProblem } from './ask.ts';
import { EmbeddingStandIn } from './embedding-stand-in.ts';
import { aDataFolder, PlatformUnderTest } from './platform-under-test.ts';

const CAPACITY = 3;

describe('more documents than can be worked off', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let letGo: () => void;

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), { ...standIn.settings(), PALIMPSEST_QUEUE_CAPACITY: String(CAPACITY) });
  });
  beforeEach(() => {
    const held = new Promise<void>((resolve) => (letGo = resolve));
    standIn.beforeAnswer = () => held;
  });
  afterEach(async () => {
    letGo();
    await platform.client.waitForAll({ pollMs: 50 });
  });

  const submit = (name: string) => platform.ask('POST /v1/documents', { json: { sourceId: `${name}.md`, text: `Text of ${name}.` } });

  it('are refused with a time to come again, however many ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 25 }, (_, i) => submit(`burst${i}`)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(CAPACITY);
    expect(refused).toHaveLength(25 - CAPACITY);
    for (const answer of refused) {
      expectProblem(answer, 429, 'Overloaded');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(answer.json['retryAfterSeconds']).toBe(Number(answer.headers.get('retry-after')));
    }
    const { documents } = await platform.client.documents.list({ source: 'burst', limit: 100 });
    expect(documents).toHaveLength(CAPACITY);
    // Once the count of the queue is taken anew, it is as full as before.
    await new Promise((resolve) => setTimeout(resolve, 600));
    expectProblem(await submit('later'), 429, 'Overloaded');
    expect((await platform.client.operations.status()).queue).toEqual({ depth: CAPACITY, capacity: CAPACITY });
  });

  it('of one upload are told apart: accepted or to come again', async () => {
    const files = Array.from({ length: 6 }, (_, i) => ({ name: `file${i}.md`, content: Buffer.from(`File number ${i}.`) }));
    const { documents } = await platform.client.documents.upload(files);
    expect(documents.map(({ status }) => status)).toEqual([...Array<string>(CAPACITY).fill('accepted'), ...Array<string>(6 - CAPACITY).fill('rejected')]);
    for (const document of documents) if (document.status === 'rejected') expect(document.error.code).toBe('Overloaded');
  });

  it('that are there already are skipped, however full the queue is', async () => {
    letGo();
    await submit('known');
    await platform.client.waitForAll({ pollMs: 50 });
    standIn.beforeAnswer = () => new Promise<void>((resolve) => (letGo = resolve));
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (let i = 0; i < CAPACITY; i++) await submit(`filler${i}`);
    expect((await submit('known')).json['documents']).toMatchObject([{ status: 'skipped' }]);
  });

  it('are all indexed by writers who come again when they are told to', async () => {
    letGo();
    standIn.beforeAnswer = () => new Promise((resolve) => setTimeout(resolve, 20));
    let refusals = 0;
    const patient = platform.as(platform.key, { retries: 100 });
    const write = async (i: number): Promise<void> => {
      for (;;) {
        const answer = await submit(`patient${i}`);
        if (answer.status === 202) return;
        expectProblem(answer, 429, 'Overloaded');
        refusals++;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, i) => write(i)));
    expect(refusals).toBeGreaterThan(0);
    await patient.waitForAll({ pollMs: 50 });
    const { documents } = await platform.client.documents.list({ source: 'patient', status: 'indexed', limit: 100 });
    expect(documents).toHaveLength(20);
  });
});
