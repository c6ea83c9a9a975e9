import { openRequest } from '@palimpsest/contracts';
import { retrievalStream } from '@palimpsest/knowledge/deciders';
import { NotFound, QuotaExceeded } from '@palimpsest/knowledge/errors';
import type { RetrievalRecordData } from '@palimpsest/knowledge/events';
import { UNLIMITED, type QuotaPolicy } from '@palimpsest/knowledge/limits';
import { vectorScope } from '@palimpsest/knowledge/values';
import { aJournal, InMemoryEventLog } from '@palimpsest/test-kit';
import { DirectBus } from '../../test/direct-bus.ts';
import { ACME, reader, SearchWorld } from '../../test/search-world.ts';
import { RetrievalRecordQueue } from '../retrieval-records/retrieval-record-queue.ts';
import { startRetrievalRecorder } from '../retrieval-records/retrieval-recorder.ts';
import type { ObserveRetrieval, RetrievalSeen } from './retrieval-seen.ts';
import { SearchKnowledgeHandler, type SearchPorts } from './search-knowledge.ts';
import { searchRequest } from './search-request.ts';

/** A platform's search over two documents, with its records recorded on a log. */
const aSearch = async (quotaPolicy: QuotaPolicy = UNLIMITED, observed: Pick<SearchPorts, 'observeRetrieval'> = {}) => {
  const world = new SearchWorld();
  await world.add(1, 'espresso is brewed with hot water');
  await world.add(2, 'espresso of the red team', { scope: 'team:red', knowledgeBase: 'red' });
  const [bus, log] = [new DirectBus(), new InMemoryEventLog()];
  const errors: unknown[] = [];
  const records = new RetrievalRecordQueue(bus, (error) => errors.push(error));
  await startRetrievalRecorder(bus, aJournal(log), { retentionSeconds: 60 });
  const search = new SearchKnowledgeHandler({
    ...world.ports,
    views: world.views,
    pastViews: world.pastViews,
    records,
    quotaPolicy,
    version: '9.9.9',
    ...observed,
  });
  const recorded = async (): Promise<readonly Readonly<{ type: string; data: RetrievalRecordData }>[]> => {
    await records.flush();
    expect(errors).toEqual([]);
    const events = [];
    for await (const { type, data } of log.readStream(retrievalStream(ACME))) events.push({ type, data: JSON.parse(JSON.stringify(data)) });
    return events;
  };
  return { world, search, recorded };
};

const run = ({ search }: Awaited<ReturnType<typeof aSearch>>, query: object) => search.run(reader(), searchRequest(query));

describe('Searching', () => {
  it('returns the hits at a position, and records the retrieval with the same trace id', async () => {
    const platform = await aSearch();
    const { hits, position, traceId, timings } = await run(platform, { query: 'espresso', topK: 1, explain: true });
    expect(hits).toMatchObject([{ rank: 1, explain: { stages: { fuse: { rank: 1 } } } }]);
    expect(position).toBe(platform.world.view.position());
    expect(await platform.recorded()).toMatchObject([
      {
        type: 'KnowledgeRetrieved',
        data: {
          traceId,
          position: String(position),
          hits: [{ chunkId: hits[0]?.chunkId, score: hits[0]?.score }],
          topScore: hits[0]?.score,
          pool: 2,
          stages: timings.stages,
          topK: 1,
          permittedScopes: ['deployment', 'team:red'],
          keyScope: 'team:red',
          limits: { candidates: 100 },
          runtime: { palimpsest: '9.9.9' },
          generations: [
            { scope: 'deployment', generation: 'g1', denseWeight: 0.6 },
            { scope: 'team:red', generation: 'g1', denseWeight: 0.6 },
          ],
        },
      },
    ]);
  });

  it('records a miss in addition when nothing relevant was found', async () => {
    const platform = await aSearch();
    await run(platform, { query: 'zebra', strategy: 'SparseOnly' });
    expect((await platform.recorded()).map(({ type, data }) => [type, data.hits])).toEqual([
      ['KnowledgeRetrieved', []],
      ['KnowledgeRetrievalMiss', []],
    ]);
  });

  it('records the query itself, sealed, only for a tenant that opted in', async () => {
    const sealed = async (limits: ReturnType<QuotaPolicy['of']>['limits']) => {
      const platform = await aSearch({ ...UNLIMITED, of: () => ({ limits }) });
      await run(platform, { query: 'espresso quixotry' });
      const [record] = await platform.recorded();
      expect(JSON.stringify(record)).not.toContain('quixotry');
      const cipher = await platform.world.keys.cipher({ tenant: ACME, scope: vectorScope('team:red') });
      return record?.data.sealedRequest && openRequest(cipher, record.data.traceId, record.data.sealedRequest).query;
    };
    expect(await sealed({})).toBeUndefined();
    expect(await sealed({ recordQueries: true })).toBe('espresso quixotry');
  });

  it('searches the view of a moment in the past, and leaves no record', async () => {
    const platform = await aSearch();
    const past = new SearchWorld(platform.world.keys, platform.world.model);
    await past.add(1, 'espresso was an idea');
    const then = past.view.position();
    platform.world.past.set(then, past.view);
    const { hits, position, asOf } = await run(platform, { query: 'espresso', asOf: String(then) });
    expect(hits.map(({ text }) => text)).toEqual(['espresso was an idea']);
    expect(position).toBe(then);
    expect(asOf).toMatchObject({ position: then, notYet: [{ kind: 'scope', id: 'team:red' }] });
    expect(await platform.recorded()).toEqual([]);
  });

  it('finds nothing in the past where a scope or knowledge base did not exist yet, and refuses what exists at no time', async () => {
    const platform = await aSearch();
    const past = new SearchWorld(platform.world.keys, platform.world.model);
    platform.world.past.set(past.view.position(), past.view);
    const asOf = String(past.view.position());
    for (const named of [{ scopes: ['team:red'] }, { knowledgeBases: ['red'] }]) {
      const answer = await run(platform, { query: 'espresso', asOf, ...named });
      expect([answer.hits, answer.asOf?.notYet.length]).toEqual([[], 'scopes' in named ? 1 : 3]);
    }
    for (const named of [{ scopes: ['team:blue'] }, { knowledgeBases: ['blue'] }])
      await expect(run(platform, { query: 'espresso', asOf, ...named })).rejects.toThrow(NotFound);
  });

  it('counts no retrieval of the day for a search in the past, but refuses it when none is left', async () => {
    let [released, committed] = [0, 0];
    const reservation = { commit: () => (committed += 1), release: () => (released += 1) };
    const platform = await aSearch({ ...UNLIMITED, reserveRetrieval: async () => reservation as never });
    platform.world.past.set(platform.world.view.position(), platform.world.view);
    await run(platform, { query: 'espresso', asOf: String(platform.world.view.position()) });
    expect([released, committed]).toEqual([1, 0]);
  });

  it('is seen by an observer with ids and scores, and with texts only for a tenant that opted in', async () => {
    const seen: RetrievalSeen[] = [];
    const observeRetrieval: ObserveRetrieval = async (search, of) => {
      const found = await search();
      seen.push(of(found));
      return found;
    };
    const answers = [];
    for (const limits of [{}, { recordQueries: true }])
      answers.push(
        await run(await aSearch({ ...UNLIMITED, of: () => ({ limits }) }, { observeRetrieval }), { query: 'espresso', topK: 1 }),
      );
    expect(seen).toEqual(
      answers.map(({ traceId, hits, timings }, i) => ({
        id: traceId,
        strategy: 'DenseSparseHybrid',
        topK: 1,
        queryLength: 8,
        models: [expect.stringMatching(/^\w+:.+\/\d+$/)],
        hits: hits.map(({ chunkId, documentId, score }) => ({ chunkId, documentId, score })),
        stages: timings.stages,
        skipped: {},
        ...(i === 0 ? {} : { texts: { query: 'espresso', hits: hits.map(({ text }) => text) } }),
      })),
    );
  });

  it('uses the strategy that the tier includes, and says so', async () => {
    const downgraded = { asked: 'DenseSparseHybrid', used: 'SparseOnly', detail: 'not in your tier' } as const;
    const platform = await aSearch({ ...UNLIMITED, downgrade: () => downgraded });
    const answer = await run(platform, { query: 'espresso', explain: true });
    expect(answer.downgraded).toEqual(downgraded);
    expect(answer.hits.map(({ explain }) => Object.keys(explain?.stages ?? {}))).toEqual([
      ['lexical', 'fuse'],
      ['lexical', 'fuse'],
    ]);
    expect(await platform.recorded()).toMatchObject([{ data: { strategy: 'SparseOnly' } }]);
  });

  it('counts a retrieval for the quota when it succeeded, and not when it failed', async () => {
    const counted: string[] = [];
    const quota: QuotaPolicy = {
      ...UNLIMITED,
      reserveRetrieval: async () => ({ commit: (traceId) => counted.push(traceId), release: () => counted.push('released') }),
    };
    const platform = await aSearch(quota);
    const { traceId } = await run(platform, { query: 'espresso' });
    await expect(run(platform, { query: 'espresso', scopes: ['team:blue'] })).rejects.toThrow(NotFound);
    expect(counted).toEqual([traceId, 'released']);
    expect(await platform.recorded()).toHaveLength(1);
  });

  it('does nothing when the quota is exceeded', async () => {
    const exceeded = async () => {
      throw new QuotaExceeded({ limit: 'retrievalsPerDay', allowed: 1, used: 1 }, 'one more requested');
    };
    const platform = await aSearch({ ...UNLIMITED, reserveRetrieval: exceeded });
    const embedded = platform.world.model.calls.length;
    await expect(run(platform, { query: 'espresso' })).rejects.toThrow(QuotaExceeded);
    expect([platform.world.model.calls.length, await platform.recorded()]).toEqual([embedded, []]);
  });
});
