import { TOPICS } from '@palimpsest/contracts';
import { retrievalStream } from '@palimpsest/knowledge/deciders';
import { ServerAway } from '@palimpsest/knowledge/errors';
import type { KnowledgeRetrieved } from '@palimpsest/knowledge/events';
import type { AppendResult, Delivery, MessageBus } from '@palimpsest/knowledge/ports';
import { generationId, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { aJournal, InMemoryEventLog } from '@palimpsest/test-kit';
import { startRetrievalRecorder } from './retrieval-recorder.ts';

const ACME = tenantId('acme');
const SCOPE = vectorScope('deployment');

const data = (traceId: string): KnowledgeRetrieved['data'] =>
  ({
    traceId,
    queryHash: 'a'.repeat(64),
    queryLength: 3,
    strategy: 'DenseSparseHybrid',
    fusion: 'zscore',
    topK: 10,
    filtered: false,
    requestedScopes: [SCOPE],
    permittedScopes: [SCOPE],
    generations: [{ scope: SCOPE, generation: generationId('g1'), embeddingVersion: 'fake:model/8' as never }],
    pool: 0,
    stages: [],
    latencyMs: 1,
    hits: [],
    position: '1',
    retrievedAt: '2026-01-01T00:00:00.000Z',
  }) as unknown as KnowledgeRetrieved['data'];

/** A log that is unavailable for the first appends. `stored`: whether it stores their events before the connection is lost. */
class UnreliableLog extends InMemoryEventLog {
  failures: number;
  readonly #stored: boolean;

  constructor(stored: boolean) {
    super();
    this.#stored = stored;
    // Stored events are found before the next append, so there is none.
    this.failures = stored ? 1 : 2;
  }

  override async append(...given: Parameters<InMemoryEventLog['append']>): Promise<AppendResult> {
    if (this.failures === 0) return super.append(...given);
    this.failures--;
    if (this.#stored) await super.append(...given);
    throw new ServerAway('no answer from the event log');
  }
}

/** Delivers to the recorder, as the bus would. */
const aRecorder = async (log: InMemoryEventLog): Promise<(deliveries: readonly Delivery[]) => Promise<void>> => {
  let deliver: ((deliveries: readonly Delivery[]) => Promise<void>) | undefined;
  const bus = {
    consume: async (options: { topic: string }, handle: (deliveries: readonly Delivery[]) => Promise<void>) => {
      expect(options.topic).toBe(TOPICS.retrieval);
      deliver = handle;
      return { stop: async () => undefined };
    },
  } as unknown as MessageBus;
  await startRetrievalRecorder(bus, aJournal(log), { retentionSeconds: 60 });
  if (deliver === undefined) throw new Error('the recorder does not consume');
  return deliver;
};

const delivery = (traceId: string, attempt = 1): Delivery =>
  ({
    id: traceId,
    key: traceId,
    headers: { tenant: 'acme', actor: 'key:a' },
    body: JSON.stringify({ type: 'KnowledgeRetrieved', data: data(traceId) }),
    attempt,
    signal: new AbortController().signal,
  }) as unknown as Delivery;

const recorded = async (log: InMemoryEventLog): Promise<readonly unknown[]> => {
  const ids: unknown[] = [];
  for await (const { data: content } of log.readStream(retrievalStream(ACME))) ids.push((content as { traceId: string }).traceId);
  return ids;
};

describe('the retrieval recorder', () => {
  it.each([false, true])(
    'waits while the log is unavailable, then records each retrieval once; events stored before the connection was lost: %s',
    async (stored) => {
      const log = new UnreliableLog(stored);
      const deliver = await aRecorder(log);
      await deliver([delivery('one'), delivery('two')]);
      expect(await recorded(log)).toEqual(['one', 'two']);
      expect(log.failures).toBe(0);
    },
  );

  it('records nothing twice when the bus delivers again', async () => {
    const log = new InMemoryEventLog();
    const deliver = await aRecorder(log);
    await deliver([delivery('one')]);
    await deliver([delivery('one', 2), delivery('two', 2)]);
    expect(await recorded(log)).toEqual(['one', 'two']);
  });
});
