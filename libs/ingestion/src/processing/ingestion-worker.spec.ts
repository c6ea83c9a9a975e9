import { GROUPS, TOPICS } from '@palimpsest/contracts';
import { Corrupt, EmbeddingModelMismatch, Overloaded, ServerAway, Unavailable } from '@palimpsest/knowledge/errors';
import {
  PermanentFailure,
  ScopeKeyDestroyed,
  type ConsumeOptions,
  type Delivery,
  type Handler,
  type MessageBus,
} from '@palimpsest/knowledge/ports';
import { sourceId } from '@palimpsest/knowledge/values';
import { sections, World } from '../../test/world.ts';
import { MAX_YIELDED_DOCUMENTS, startIngestionWorker } from './ingestion-worker.ts';
import type { ProcessDocument } from './process-document.ts';

/** A bus that delivers the messages of a test. */
const aBus = () => {
  let consuming: { options: ConsumeOptions; handler: Handler } | undefined;
  const consume: MessageBus['consume'] = async (options, handler) => {
    consuming = { options, handler };
    return { pause: () => {}, resume: () => {}, stop: async () => {} };
  };
  const deliver = async (body: unknown, attempt = 1, signal = new AbortController().signal): Promise<void> => {
    const delivery: Delivery = {
      id: 'm1',
      key: 'k',
      headers: {},
      body: JSON.stringify(body),
      topic: TOPICS.ingestion,
      attempt,
      publishedAt: '2026-01-01T00:00:00Z',
      signal,
    };
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

/** Documents whose processing fails with this error. */
const failingWith = (error: Error, before: () => void = () => undefined) => {
  const failed: string[] = [];
  const run = (): Promise<void> => {
    before();
    return Promise.reject(error);
  };
  const documents = {
    run,
    fail: async (_work: unknown, reason: string, detail: string) => void failed.push(`${reason}: ${detail}`),
  } as unknown as ProcessDocument;
  return { documents, failed };
};

const WORK = new World().work({ documentId: 'd'.repeat(32) as never, version: 1 });

describe('the ingestion worker', () => {
  it('processes documents that the bus delivers', async () => {
    const world = await new World().begin();
    const submitted = await world.submit(sections('Apple'));
    const { deliver, options } = await aWorker(world.processDocument);
    await deliver(world.work(submitted));
    expect((await world.state(submitted.documentId)).status).toBe('indexed');
    expect(options()).toMatchObject({
      topic: TOPICS.ingestion,
      group: GROUPS.ingestion,
      concurrency: 2 + MAX_YIELDED_DOCUMENTS,
      maxAttempts: 3,
    });
  });

  it('processes other documents while files take long to parse, and then completes those', async () => {
    const world = await new World().begin();
    const waiting: (() => void)[] = [];
    world.parser.before = async ({ bytes }, onSlow) => {
      if (!Buffer.from(bytes).toString().includes('Slow')) return;
      onSlow();
      await new Promise<void>((resolve) => waiting.push(resolve));
    };
    const { deliver } = await aWorker(world.processDocument);
    const slow = await Promise.all(
      ['Slow A', 'Slow B', 'Slow C'].map((title) => world.submit(sections(title), { sourceId: sourceId(title) })),
    );
    const reading = slow.map((submitted) => deliver(world.work(submitted)));
    const quick = await world.submit(sections('Quick'), { sourceId: sourceId('quick') });
    await deliver(world.work(quick));
    expect((await world.state(quick.documentId)).status).toBe('indexed');
    for (const resume of waiting) resume();
    await Promise.all(reading);
    for (const { documentId } of slow) expect((await world.state(documentId)).status).toBe('indexed');
  });

  it('retries errors that may pass, then fails the document with the reason', async () => {
    const { documents, failed } = failingWith(new Unavailable('the model is away'));
    const { deliver, errors } = await aWorker(documents);
    await expect(deliver(WORK, 1)).rejects.toThrow(Unavailable);
    await expect(deliver(WORK, 2)).rejects.toThrow(Unavailable);
    expect(failed).toEqual([]);
    await expect(deliver(WORK, 3)).rejects.toThrow(PermanentFailure);
    expect(failed).toEqual(['gave-up: a service that processing needs was not available']);
    expect(errors).toHaveLength(3);
  });

  it('waits for a server that is unavailable or overloaded, whatever the attempt, and fails nothing', async () => {
    const away = [new ServerAway('the log is away'), new Overloaded('the model reported too many requests', 0)];
    const failed: string[] = [];
    const documents = {
      run: async () => {
        const error = away.shift();
        if (error) throw error;
      },
      fail: async (_work: unknown, reason: string) => void failed.push(reason),
    } as unknown as ProcessDocument;
    const { deliver, errors } = await aWorker(documents);
    await deliver(WORK, 3);
    expect([failed, away, errors.length]).toEqual([[], [], 2]);
  });

  it.each([
    [new EmbeddingModelMismatch('a:b/1', []), /^not-processable: .*a:b\/1/],
    [new Corrupt('blob documents/acme/0/secret is damaged'), /^not-processable: the stored upload or a key .* damaged or missing/],
  ])('fails immediately on %p', async (error, detail) => {
    const { documents, failed } = failingWith(error);
    const { deliver } = await aWorker(documents);
    await expect(deliver(WORK)).rejects.toThrow(PermanentFailure);
    expect(failed).toEqual([expect.stringMatching(detail)]);
  });

  it.each([
    new Corrupt('blob documents/acme/0/secret'),
    new Unavailable('no answer from 10.0.0.7 for documents/acme/0/secret'),
    new Error('ENOENT documents/acme/0/secret'),
  ])('names no file, server or tenant in the detail that readers see: %p', async (error) => {
    const { documents, failed } = failingWith(error);
    const { deliver, errors } = await aWorker(documents);
    await expect(deliver(WORK, 3)).rejects.toThrow('secret');
    expect(failed.join()).not.toMatch(/acme|secret|10\.0\.0\.7/);
    expect(errors).toHaveLength(1);
  });

  it('drops the work of an erased scope without a fault', async () => {
    const { documents, failed } = failingWith(new ScopeKeyDestroyed('scope "team:red" was erased'));
    const { deliver, errors } = await aWorker(documents);
    await deliver(WORK);
    expect([failed, errors]).toEqual([[], []]);
  });

  it('leaves work on the bus, and fails nothing, if it is stopped during processing', async () => {
    const stopping = new AbortController();
    const { documents, failed } = failingWith(new Corrupt('cut off'), () => stopping.abort(new Error('stopped')));
    const { deliver, errors } = await aWorker(documents);
    await expect(deliver(WORK, 3, stopping.signal)).rejects.toThrow('cut off');
    expect([failed, errors]).toEqual([[], []]);
  });

  it('fails a document that repeatedly crashed the process', async () => {
    const { documents, failed } = failingWith(new Error('not retried'));
    const { deliver } = await aWorker(documents);
    await expect(deliver(WORK, 16)).rejects.toThrow(PermanentFailure);
    expect(failed).toEqual(['gave-up: the process ended 15 times while it processed this document']);
  });

  it('dead-letters malformed messages', async () => {
    const { deliver } = await aWorker(failingWith(new Error('not called')).documents);
    for (const body of [{}, null, 'x', { ...WORK, documentId: 'x' }, { ...WORK, version: 0 }])
      await expect(deliver(body)).rejects.toThrow(PermanentFailure);
  });
});
