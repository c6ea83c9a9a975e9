import fc from 'fast-check';
import { retrievalStream } from '@palimpsest/knowledge/deciders';
import { NotFound } from '@palimpsest/knowledge/errors';
import type { RetrievalRecordData } from '@palimpsest/knowledge/events';
import type { Access } from '@palimpsest/knowledge/access';
import { tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { aJournal, InMemoryEventLog } from '@palimpsest/test-kit';
import { ACME, reader } from '../../test/search-world.ts';
import { findRetrieval } from './find-retrieval.ts';

const START = Date.parse('2026-11-27T00:00:00Z');
const traceAt = (ms: number, n: number): string => {
  const time = (START + ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(n).padStart(12, '0')}`;
};
const recordOf = (traceId: string, over: Partial<RetrievalRecordData> = {}): RetrievalRecordData => ({
  traceId,
  queryHash: 'a'.repeat(64),
  queryLength: 3,
  strategy: 'SparseOnly',
  fusion: 'zscore',
  topK: 5,
  filtered: false,
  requestedScopes: [vectorScope('deployment')],
  permittedScopes: [vectorScope('deployment')],
  generations: [],
  pool: 0,
  stages: [],
  latencyMs: 1,
  hits: [],
  position: '0',
  retrievedAt: '2026-11-27T00:00:00.000Z',
  ...over,
});

/** A log whose records were recorded some time after their searches. */
const aLog = async (
  searches: readonly Readonly<{ ms: number; delay: number; record?: Partial<RetrievalRecordData>; actor?: string }>[],
) => {
  let now = START;
  const log = new InMemoryEventLog({ now: () => now });
  const journal = aJournal(log);
  const traces: string[] = [];
  for (const [n, { ms, delay, record, actor = reader().actor }] of searches.entries()) {
    const traceId = traceAt(ms, n);
    traces.push(traceId);
    now = START + ms + delay;
    await journal.appendToEnd(retrievalStream(ACME), [{ type: 'KnowledgeRetrieved', data: recordOf(traceId, record) }], {
      ...{ tenant: ACME, actor, correlationId: 'r1' },
    });
  }
  return { log, journal, traces };
};

describe('The record of a retrieval', () => {
  it('is found by the time of its trace id, among any others', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ gap: fc.integer({ min: 0, max: 100_000 }), delay: fc.integer({ min: 0, max: 60_000 }) }), {
          minLength: 1,
          maxLength: 40,
        }),
        async (steps) => {
          let ms = 0;
          const { journal, traces } = await aLog(steps.map(({ gap, delay }) => ({ ms: (ms += gap), delay })));
          for (const traceId of traces) expect((await findRetrieval(journal, reader(), traceId)).traceId).toBe(traceId);
        },
      ),
      { numRuns: 40 },
    ));

  it('is found with few reads among thousands', async () => {
    const { log, journal, traces } = await aLog(Array.from({ length: 3_000 }, (_, n) => ({ ms: n * 1_000, delay: 50 })));
    let read = 0;
    const readStream = log.readStream.bind(log);
    log.readStream = async function* (...args) {
      for await (const event of readStream(...args)) {
        read++;
        yield event;
      }
    };
    await findRetrieval(journal, reader(), traces[1_234] ?? '');
    expect(read).toBeLessThan(40);
  });

  it('of an earlier version, whose trace id has no time, is found among the newest', async () => {
    const old = '7f1a8a0e-3d3b-4b8e-9a55-0f6a1c2d3e4f';
    const { journal } = await aLog([
      { ms: 0, delay: 0, record: { traceId: old } },
      { ms: 5, delay: 0 },
    ]);
    expect((await findRetrieval(journal, reader(), old)).traceId).toBe(old);
  });

  it('is not found if there is none, if it expired, if it is that of another caller, or if its scopes are closed to the caller', async () => {
    const { journal, traces } = await aLog([
      { ms: 0, delay: 0 },
      { ms: 5, delay: 0, actor: 'key:other' },
      { ms: 9, delay: 0, record: { permittedScopes: [vectorScope('team:secret')] } },
    ]);
    const found = (access: Access, traceId: string | undefined) => findRetrieval(journal, access, traceId ?? '');
    const other = { ...reader(), tenant: tenantId('other') };
    for (const [access, traceId] of [
      [reader(), traceAt(0, 99)],
      [reader(), traces[1]],
      [reader(), traces[2]],
      [other, traces[0]],
    ] as const)
      await expect(found(access, traceId)).rejects.toThrow(NotFound);
    const admin: Access = { ...reader(), roles: ['admin'], actor: 'key:admin' };
    expect((await found(admin, traces[1])).traceId).toBe(traces[1]);
  });
});
