import { GROUPS, TOPICS } from '@palimpsest/contracts';
import { Corrupt, EmbeddingModelMismatch, PermanentFailure, ServerAway, sourceId, Unavailable, type ConsumeOptions, type Delivery, type Handler, type MessageBus } from '@palimpsest/knowledge';
import { sections, World } from '../../test/world.ts';
import { DOCUMENTS_BESIDE, startIngestionWorker } from './ingestion-worker.ts';
import type { ProcessDocument } from './process-document.ts';

/** A bus that hands over what a test gives it. */
const aBus = () => {
  let consuming: { options: ConsumeOptions; handler: Handler } | undefined;
  const consume: MessageBus['consume'] = async (options, handler) => {
    consuming = { options, handler };
    return { pause: () => {}, resume: () => {}, stop: async () => {} };
  };
  const deliver = async (body: unknown, attempt = 1, signal = new AbortController().signal): Promise<void> => {
    const delivery: Delivery = { id: 'm1', key: 'k', headers: {}, body: JSON.stringify(body), topic: TOPICS.ingestion, attempt, publishedAt: '2026-01-01T00:00:00Z', signal };
    await consuming?.handler([delivery]);
  };
  return { bus: { consume } as MessageBus, deliver, options: () => consuming?.options };
};

const aWorker = async (documents: ProcessDocument) => {
  const errors: unknown[] = [];
  const bus = aBus();
  await startIngestionWorker(bus.bus, documents, { concurrency: 2, maxAttempts: 3, onError: (error) => errors.push(error) });
  return { ...bus, errors };
};

/** Documents whose work ends with this error. */
const failingWith = (error: Error, before: () => void = () => undefined) => {
  const failed: string[] = [];
  const run = (): Promise<void> => {
    before();
    return Promise.reject(error);
  };
  const documents = { run, fail: async (_work: unknown, reason: string, detail: string) => void failed.push(`${reason}: ${detail}`) } as unknown as ProcessDocument;
  return { documents, failed };
};

const WORK = new World().work({ documentId: 'd'.repeat(32) as never, version: 1 });

describe('the ingestion worker', () => {
  it('takes document work as it comes over the bus', async () => {
    const world = await new World().begin();
    const submitted = await world.submit(sections('Apple'));
    const { deliver, options } = await aWorker(world.processDocument);
    await deliver(world.work(submitted));
    expect((await world.state(submitted.documentId)).status).toBe('indexed');
    expect(options()).toMatchObject({ topic: TOPICS.ingestion, group: GROUPS.ingestion, concurrency: 2 + DOCUMENTS_BESIDE, maxAttempts: 3 });
  });

  it('goes on with other documents while files take long to read, and with these in their turn', async () => {
    const world = await new World().begin();
    const letGo: (() => void)[] = [];
    world.parser.before = async ({ bytes }, onSlow) => {
      if (!Buffer.from(bytes).toString().includes('Slow')) return;
      onSlow();
      await new Promise<void>((resolve) => letGo.push(resolve));
    };
    const { deliver } = await aWorker(world.processDocument);
    const slow = await Promise.all(['Slow A', 'Slow B', 'Slow C'].map((title) => world.submit(sections(title), { sourceId: sourceId(title) })));
    const reading = slow.map((submitted) => deliver(world.work(submitted)));
    const quick = await world.submit(sections('Quick'), { sourceId: sourceId('quick') });
    await deliver(world.work(quick));
    expect((await world.state(quick.documentId)).status).toBe('indexed');
    for (const go of letGo) go();
    await Promise.all(reading);
    for (const { documentId } of slow) expect((await world.state(documentId)).status).toBe('indexed');
  });

  it('gives back what may succeed later, as often as it may be tried, then gives up with the reason', async () => {
    const { documents, failed } = failingWith(new Unavailable('the model is away'));
    const { deliver, errors } = await aWorker(documents);
    await expect(deliver(WORK, 1)).rejects.toThrow(Unavailable);
    await expect(deliver(WORK, 2)).rejects.toThrow(Unavailable);
    expect(failed).toEqual([]);
    await expect(deliver(WORK, 3)).rejects.toThrow(PermanentFailure);
    expect(failed).toEqual(['gave-up: the model is away']);
    expect(errors).toHaveLength(3);
  });

  it('waits for a server that is away, whatever the attempt, and fails nothing', async () => {
    const away = [new ServerAway('the log is away'), new ServerAway('the log is away')];
    const failed: string[] = [];
    const documents = { run: async () => { const error = away.shift(); if (error) throw error; }, fail: async (_work: unknown, reason: string) => void failed.push(reason) } as unknown as ProcessDocument;
    const { deliver, errors } = await aWorker(documents);
    await deliver(WORK, 3);
    expect([failed, away, errors.length]).toEqual([[], [], 2]);
  });

  it.each([new EmbeddingModelMismatch('a:b/1', []), new Corrupt('a blob is damaged')])('gives up at once on %p', async (error) => {
    const { documents, failed } = failingWith(error);
    const { deliver } = await aWorker(documents);
    await expect(deliver(WORK)).rejects.toThrow(PermanentFailure);
    expect(failed).toEqual([`not-processable: ${error.message}`]);
  });

  it('leaves work on the bus, and fails nothing, when it is stopped on the way', async () => {
    const stopping = new AbortController();
    const { documents, failed } = failingWith(new Corrupt('cut off'), () => stopping.abort(new Error('stopped')));
    const { deliver, errors } = await aWorker(documents);
    await expect(deliver(WORK, 3, stopping.signal)).rejects.toThrow('cut off');
    expect([failed, errors]).toEqual([[], []]);
  });

  it('gives up, for everyone to see, what the process did not survive time and again', async () => {
    const { documents, failed } = failingWith(new Error('not tried once more'));
    const { deliver } = await aWorker(documents);
    await expect(deliver(WORK, 16)).rejects.toThrow(PermanentFailure);
    expect(failed).toEqual(['gave-up: the process ended 15 times while it was worked on']);
  });

  it('puts aside what is no document work', async () => {
    const { deliver } = await aWorker(failingWith(new Error('not called')).documents);
    for (const body of [{}, null, 'x', { ...WORK, documentId: 'x' }, { ...WORK, version: 0 }]) await expect(deliver(body)).rejects.toThrow(PermanentFailure);
  });
});
