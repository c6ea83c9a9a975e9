import { TOPICS } from '@palimpsest/contracts';
import type { KnowledgeRetrieved } from '@palimpsest/knowledge/events';
import { ScopeKeyDestroyed, type Message } from '@palimpsest/knowledge/ports';
import { tenantId } from '@palimpsest/knowledge/values';
import { RetrievalRecordQueue } from './retrieval-record-queue.ts';

const ACME = tenantId('acme');
const aRecord = (traceId: string): KnowledgeRetrieved => ({
  type: 'KnowledgeRetrieved',
  data: {
    traceId,
    queryHash: 'a'.repeat(64),
    queryLength: 3,
    strategy: 'DenseSparseHybrid',
    fusion: 'zscore',
    topK: 10,
    filtered: false,
    requestedScopes: [],
    permittedScopes: [],
    generations: [],
    pool: 0,
    stages: [],
    latencyMs: 1,
    hits: [],
    position: '1',
    retrievedAt: '2026-01-01T00:00:00.000Z',
  },
});

/** A bus that keeps what is published. `failing`: whether it refuses everything. */
const aQueue = (failing = false) => {
  const published: Message[][] = [];
  const errors: unknown[] = [];
  const publish = async (topic: string, messages: readonly Message[]): Promise<void> => {
    if (failing) throw new Error('the bus is full');
    expect(topic).toBe(TOPICS.retrieval);
    published.push([...messages]);
  };
  const queue = new RetrievalRecordQueue({ publish }, (error) => errors.push(error));
  return { queue, published, errors, add: (id: string, record = async () => aRecord(id)) => queue.add(ACME, 'key:me', record) };
};

describe('The queue of retrieval records', () => {
  it('publishes the waiting records together, each under its trace id, tenant and actor', async () => {
    const { queue, add, published } = aQueue();
    add('one');
    add('two');
    await queue.flush();
    expect(published.map((batch) => batch.map(({ id, key, headers }) => ({ id, key, headers })))).toEqual([
      ['one', 'two'].map((id) => ({ id, key: id, headers: { tenant: 'acme', actor: 'key:me' } })),
    ]);
    expect(JSON.parse(published[0]?.[0]?.body ?? '')).toEqual(aRecord('one'));
  });

  it('prepares a record only when it is published, so that a search does not wait for it', async () => {
    const { queue, add } = aQueue();
    let prepared = 0;
    add('one', async () => {
      prepared++;
      return aRecord('one');
    });
    expect(prepared).toBe(0);
    await queue.flush();
    await queue.flush();
    expect(prepared).toBe(1);
  });

  it('drops and counts a record that cannot be prepared, and publishes the others', async () => {
    const { queue, add, published, errors } = aQueue();
    add('one', async () => Promise.reject(new Error('its key is damaged')));
    add('two');
    await queue.flush();
    expect([published.flat().map(({ id }) => id), queue.dropped, errors]).toEqual([['two'], 1, [new Error('its key is damaged')]]);
  });

  it('leaves out a record whose scope was erased since the search, which is no fault', async () => {
    const { queue, add, published, errors } = aQueue();
    add('one', async () => Promise.reject(new ScopeKeyDestroyed('the key of scope "team:red" was destroyed')));
    add('two');
    await queue.flush();
    expect([published.flat().map(({ id }) => id), queue.dropped, errors]).toEqual([['two'], 0, []]);
  });

  it('drops and counts what the bus does not accept', async () => {
    const { queue, add, errors } = aQueue(true);
    add('one');
    add('two');
    await queue.flush();
    expect([queue.dropped, errors]).toEqual([2, [new Error('the bus is full')]]);
  });

  it('drops and counts records beyond 10,000 waiting ones', async () => {
    const { queue, add, published } = aQueue();
    for (let i = 0; i < 10_002; i++) add(String(i));
    expect(queue.dropped).toBe(2);
    await queue.flush();
    expect(published.flat()).toHaveLength(10_000);
  });
});
