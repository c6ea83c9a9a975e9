import fc from 'fast-check';
import { firstRevision, PastRetrievals, type RetrievalWindow } from '@palimpsest/contracts';
import { retrievalStream } from '@palimpsest/knowledge/deciders';
import type { RetrievalRecordData } from '@palimpsest/knowledge/events';
import { knowledgeBaseId, position, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { aJournal, InMemoryEventLog, InMemoryScopeKeys } from '@palimpsest/test-kit';

const ACME = tenantId('acme');
const [RED, BLUE] = [vectorScope('team:red'), vectorScope('team:blue')];
const HANDBOOK = knowledgeBaseId('handbook');

type Searched = Readonly<{ id: string; scopes?: readonly string[]; knowledgeBases?: readonly string[]; isMiss?: boolean }>;

const recordOf = ({ id, scopes = ['team:red'], knowledgeBases }: Searched): RetrievalRecordData =>
  ({
    ...{ traceId: id, queryHash: 'h', queryLength: 1, strategy: 'DenseOnly', fusion: 'zscore', topK: 1, filtered: false },
    ...(knowledgeBases === undefined ? {} : { knowledgeBases }),
    ...{ requestedScopes: [], permittedScopes: scopes, pool: 0, stages: [], latencyMs: 1, hits: [], position: '0' },
    generations: scopes.map((scope) => ({ scope, generation: 'g1', embeddingVersion: 'fake:one/8' })),
    retrievedAt: '2026-01-01T00:00:00.000Z',
  }) as unknown as RetrievalRecordData;

/** These searches, the oldest first, each after an event of another tenant; so the n-th is the 2n-th event. */
const searchedBefore = async (searches: readonly Searched[]) => {
  const log = new InMemoryEventLog();
  const journal = aJournal(log, new InMemoryScopeKeys());
  const append = (tenant: typeof ACME, search: Searched) => {
    const data = recordOf(search);
    const event = search.isMiss
      ? ({ type: 'KnowledgeRetrievalMiss', data: { ...data, floor: 1 } } as const)
      : ({ type: 'KnowledgeRetrieved', data } as const);
    return journal.appendToEnd(retrievalStream(tenant), [event], { tenant, actor: 'ann', correlationId: 'c' });
  };
  for (const search of searches) {
    await append(tenantId('other'), { id: 'foreign' });
    await append(ACME, search);
  }
  return journal;
};

type Reading = ConstructorParameters<typeof PastRetrievals>[3];

const read = async (searches: readonly Searched[], window: RetrievalWindow = {}, reading: Partial<Reading> = {}) => {
  const past = new PastRetrievals(await searchedBefore(searches), ACME, window, { maxRead: 100, ...reading });
  const ids: string[] = [];
  for await (const { traceId } of past) ids.push(traceId);
  return { ids: ids.join(''), next: past.next };
};

const SEARCHES = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }));
/** The in-memory log leaves gaps between positions. */
const GAP = 3n;
const positionOf = (n: number) => position(2n * GAP * BigInt(n));
const at = (n: number) => ({ position: positionOf(n) });

describe('Past retrievals', () => {
  it('are those of the tenant, the newest first', async () => {
    expect(await read(SEARCHES)).toEqual({ ids: 'edcba', next: undefined });
    expect(await read([])).toEqual({ ids: '', next: undefined });
  });

  it('are those between both ends, which are exclusive', async () => {
    expect((await read(SEARCHES, { after: at(2) })).ids).toBe('edc');
    expect((await read(SEARCHES, { before: at(4) })).ids).toBe('cba');
    expect(await read(SEARCHES, { after: at(1), before: at(5) })).toEqual({ ids: 'dcb', next: undefined });
    expect(await read(SEARCHES, { after: at(5) })).toEqual({ ids: '', next: undefined });
    expect(await read(SEARCHES, { before: at(1) })).toEqual({ ids: '', next: undefined });
    expect((await read(SEARCHES, { before: { position: position(1_000_000n) } })).ids).toBe('edcba');
    expect((await read(SEARCHES, { after: { time: '2999-01-01T00:00:00.000Z' } })).ids).toBe('');
    expect((await read(SEARCHES, { after: { time: '1969-01-01T00:00:00.000Z' } })).ids).toBe('edcba');
  });

  it('are those that searched a scope', async () => {
    const searches = [{ id: 'r' }, { id: 'b', scopes: ['team:blue'] }, { id: '2', scopes: ['team:blue', 'team:red'] }];
    expect((await read(searches, { scopes: [RED] })).ids).toBe('2r');
    expect((await read(searches, { scopes: [RED, BLUE] })).ids).toBe('2br');
    expect((await read(searches, { scopes: [vectorScope('user:eve')] })).ids).toBe('');
  });

  it('are those that searched a knowledge base, by its name or with its whole scope', async () => {
    const searches = [
      { id: 'n', knowledgeBases: ['other', 'handbook'] },
      { id: 'o', knowledgeBases: ['other'] },
      { id: 's' },
      { id: 'b', scopes: ['team:blue'] },
    ];
    expect((await read(searches, { knowledgeBase: { id: HANDBOOK, scope: RED } })).ids).toBe('sn');
  });

  it('leave out misses, which have a record of their own, and what the reader may not see', async () => {
    expect((await read([{ id: 'a' }, { id: 'm', isMiss: true }, { id: 'b' }])).ids).toBe('ba');
    expect((await read(SEARCHES, {}, { isVisible: ({ data }) => data['traceId'] !== 'c' })).ids).toBe('edba');
  });

  it('say where a reading goes on that ended early', async () => {
    expect(await read(SEARCHES, {}, { maxRead: 2 })).toEqual({ ids: 'ed', next: 2 });
    expect(await read(SEARCHES, {}, { maxRead: 2, from: 2 })).toEqual({ ids: 'cb', next: 0 });
    expect(await read(SEARCHES, {}, { maxRead: 2, from: 0 })).toEqual({ ids: 'a', next: undefined });
    expect(await read(SEARCHES, { after: at(3) }, { maxRead: 3 })).toEqual({ ids: 'ed', next: undefined });
    // A place after the window is no way out of it.
    expect((await read(SEARCHES, { before: at(3) }, { from: 4 })).ids).toBe('ba');
    const past = new PastRetrievals(await searchedBefore(SEARCHES), ACME, {}, { maxRead: 100 });
    for await (const { traceId } of past) if (traceId === 'd') break;
    expect(past.next).toBe(2);
  });
});

describe('The first revision that is reached', () => {
  it('is found in any stream', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(12), fc.nat(14), async (count, n) => {
        const { log } = await searchedBefore(Array.from({ length: count }, () => ({ id: 'x' })));
        const found = await firstRevision(log, retrievalStream(ACME), (event) => event.position >= positionOf(n));
        expect(found).toBe(Math.min(count, Math.max(0, n - 1)));
      }),
    ));
});
