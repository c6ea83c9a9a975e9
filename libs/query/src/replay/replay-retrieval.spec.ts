import type { RequiredLabels } from '@palimpsest/knowledge/access';
import { HistoryRemoved, InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import type { Synonyms } from '@palimpsest/knowledge/texts';
import { generationId, knowledgeBaseId, position, vectorScope } from '@palimpsest/knowledge/values';
import { aFakeChatModel, aFakeEmbeddingProvider, aFakeReranker, aJournal, InMemoryEventLog } from '@palimpsest/test-kit';
import { DirectBus } from '../../test/direct-bus.ts';
import { ACME, reader, SearchWorld, type TestDocument } from '../../test/search-world.ts';
import type { ConfiguredChatModel } from '../pipeline/rewrite.ts';
import type { ConfiguredReranker } from '../pipeline/rerank.ts';
import { RetrievalRecordQueue } from '../retrieval-records/retrieval-record-queue.ts';
import { startRetrievalRecorder } from '../retrieval-records/retrieval-recorder.ts';
import { SearchKnowledgeHandler } from '../search/search-knowledge.ts';
import { searchRequest } from '../search/search-request.ts';
import { ReplayRetrievalHandler } from './replay-retrieval.ts';
import { ReplayWindowHandler } from './replay-window.ts';

/** `more`: documents that the search saw, too. `recordQueries`: whether its text is on the record. */
type Given = Readonly<{
  recordQueries?: boolean;
  request?: object;
  requiredLabels?: RequiredLabels;
  more?: readonly (readonly [number, string | readonly string[], TestDocument?])[];
  reranker?: ConfiguredReranker;
  chat?: ConfiguredChatModel;
  synonyms?: Synonyms;
}>;
/** A search that was recorded in a world that changed since. */
const aReplay = async ({ recordQueries = true, request = {}, requiredLabels, more = [], reranker, chat, synonyms }: Given = {}) => {
  const then = new SearchWorld();
  then.reranker = reranker;
  then.chat = chat;
  await then.add(1, 'espresso is brewed with hot water');
  await then.add(2, 'water for the garden');
  for (const document of more) await then.add(...document);
  if (synonyms !== undefined) await then.configure('handbook', { synonyms });
  const [bus, log] = [new DirectBus(), new InMemoryEventLog()];
  const journal = aJournal(log, then.keys);
  const records = new RetrievalRecordQueue(bus, (error) => expect(error).toBeUndefined());
  await startRetrievalRecorder(bus, journal, { retentionSeconds: 60 });
  const quotaPolicy = { ...UNLIMITED, of: () => ({ limits: recordQueries ? { recordQueries } : {} }) };
  const ports = { ...then.ports, views: then.views, pastViews: then.pastViews };
  const search = new SearchKnowledgeHandler({ ...ports, records, quotaPolicy, version: '9.9.9' });
  const {
    traceId,
    hits,
    position: searchedAt,
  } = await search.run(reader(requiredLabels ? { requiredLabels } : {}), searchRequest({ query: 'hot water', topK: 2, ...request }));
  await records.flush();
  const now = new SearchWorld(then.keys, then.model);
  await now.add(2, 'water for the garden');
  await now.add(3, 'hot water, and nothing else');
  now.past.set(searchedAt, then.view);
  const { analyser } = then.providers.recipeOf(then.model.version);
  const replay = new ReplayRetrievalHandler({
    ...{ ...ports, journal, views: now.views, pastViews: now.pastViews, analyser: () => analyser },
    // Read when it is used, since specs exchange it.
    get reranker() {
      return then.reranker;
    },
    get chat() {
      return then.chat;
    },
  });
  return { replay, window: new ReplayWindowHandler({ journal, views: now.views, replay }), traceId, hits, then, now, log };
};

const textsOf = (hits: readonly Readonly<{ text: string }>[]) => hits.map(({ text }) => text);

describe('Replaying a retrieval', () => {
  it('finds the same hits with the same scores, and changes nothing', async () => {
    const { replay, traceId, hits, log } = await aReplay();
    const head = await log.head();
    const { identical, differences, then } = await replay.run(reader(), { traceId });
    expect([identical, differences]).toEqual([true, []]);
    expect(then.hits.map(({ chunkId, score }) => [chunkId, score])).toEqual(hits.map(({ chunkId, score }) => [chunkId, score]));
    expect(await log.head()).toBe(head);
  });

  it('sees only what the key of its caller could see', async () => {
    const labelled = [10, 'hot water for people', { labels: { department: 'hr' } }] as const;
    const { replay, traceId, hits } = await aReplay({ requiredLabels: { department: ['hr'] }, more: [labelled] });
    expect(textsOf(hits)).toEqual(['hot water for people']);
    const { identical, then, compared, record } = await replay.run(reader(), { traceId, against: { topK: 5 } });
    expect([identical, textsOf(then.hits), compared?.side.hits, record.filtered]).toEqual([true, ['hot water for people'], [], true]);
    expect(JSON.stringify(record)).not.toContain('department');
  });

  it.each([[{ collapse: true }], [{ groupBy: 'document', perGroup: 1 }], [{ diversity: 0.9 }], [{ expand: 'neighbours', neighbours: 2 }]])(
    'arranges the hits as they were: %j',
    async (request) => {
      const passages = ['hot water, and more hot water', 'hot water for the garden'];
      const { replay, traceId, hits } = await aReplay({
        request,
        more: [
          [6, passages],
          [7, passages],
          [8, 'hot water for the garden'],
        ],
      });
      const { identical, then, record } = await replay.run(reader(), { traceId });
      expect([identical, record.arrangement]).toEqual([true, request]);
      expect(then.hits.map(({ chunkId, similar }) => [chunkId, similar])).toEqual(hits.map(({ chunkId, similar }) => [chunkId, similar]));
    },
  );

  it.each([
    [true, 2],
    [false, 1],
  ])('corrects words if it did (%s)', async (spelling, count) => {
    const { replay, traceId, hits } = await aReplay({
      request: { query: 'espresso is brewed with hot watter', strategy: 'SparseOnly', spelling },
    });
    const { identical, then, record } = await replay.run(reader(), { traceId });
    expect([identical, record.spelling]).toEqual([true, spelling || undefined]);
    expect(textsOf(then.hits)).toEqual(textsOf(hits));
    expect(hits).toHaveLength(count);
  });

  it('finds a search without a relevant result, which has two events', async () => {
    const { replay, traceId, hits } = await aReplay({ request: { query: 'zeppelin', strategy: 'SparseOnly' } });
    expect(hits).toEqual([]);
    expect((await replay.run(reader(), { traceId })).identical).toBe(true);
  });

  const TERMS = { required: ['hot'], excluded: ['garden'], phrases: ['hot water'] };

  it('limits the hits to the terms of then', async () => {
    const more = [[7, 'water so hot'] as const];
    const { replay, traceId, hits } = await aReplay({ request: { terms: TERMS }, more });
    const { identical, then } = await replay.run(reader(), { traceId });
    expect([identical, textsOf(then.hits)]).toEqual([true, textsOf(hits)]);
    expect(textsOf(hits)).toEqual(['espresso is brewed with hot water']);
  });

  it('asks for the terms of a query that was not recorded, and accepts no others', async () => {
    const { replay, traceId, window } = await aReplay({ recordQueries: false, request: { terms: TERMS } });
    const asked = { traceId, query: 'hot water' };
    for (const terms of [undefined, {}, { required: ['hot'] }, { ...TERMS, excluded: ['gardens'] }])
      await expect(replay.run(reader(), terms === undefined ? asked : { ...asked, terms })).rejects.toMatchObject({ field: 'terms' });
    expect((await replay.run(reader(), { ...asked, terms: TERMS })).identical).toBe(true);
    expect((await window.run(reader(), { limit: 10, against: {} })).skipped).toHaveLength(1);
  });

  it('accepts no terms for a search that had none', async () => {
    const { replay, traceId } = await aReplay();
    await expect(replay.run(reader(), { traceId, terms: TERMS })).rejects.toMatchObject({ field: 'terms' });
  });

  it('does not need the model, because the vector of the query is on the record', async () => {
    const { replay, traceId, then } = await aReplay({ request: { strategy: 'DenseOnly' } });
    then.configured = [];
    expect((await replay.run(reader(), { traceId })).identical).toBe(true);
  });

  it('leaves out the same hits by their relevance, without the model', async () => {
    const request = { topK: 10, minRelevance: 0.02 };
    const { replay, traceId, then, hits } = await aReplay({ request, more: [[6, 'a locomotive burns coal']] });
    then.configured = [];
    const { identical, record } = await replay.run(reader(), { traceId });
    expect([identical, record.minRelevance, hits.length]).toEqual([true, 0.02, 2]);
  });

  it('compares it with now', async () => {
    const { replay, traceId } = await aReplay();
    const { compared } = await replay.run(reader(), { traceId, against: {} });
    expect(textsOf(compared?.side.hits ?? [])).toEqual(['hot water, and nothing else', 'water for the garden']);
    expect(compared?.changes.map(({ change, hit }) => [change, hit.text])).toEqual([
      ['gained', 'hot water, and nothing else'],
      ['lost', 'espresso is brewed with hot water'],
    ]);
  });

  it('has the synonyms of then, and names them as the cause if there are others now', async () => {
    const { replay, traceId, now } = await aReplay({ synonyms: ['water, tea'] });
    await now.configure('handbook', { synonyms: ['water, coal'] });
    const { identical, then, compared } = await replay.run(reader(), { traceId, against: {} });
    expect([identical, then.synonyms]).toEqual([true, { added: [{ word: 'water', synonyms: ['tea'] }] }]);
    expect(compared?.side.synonyms).toEqual({ added: [{ word: 'water', synonyms: ['coal'] }] });
    expect(compared?.changes.flatMap(({ causes }) => causes.map(({ kind }) => kind))).toContain('reconfigured');
  });

  it('does not refuse a filter whose field is not declared any more', async () => {
    const filter = { not: { exists: { field: 'label.team' } } };
    const { replay, traceId, now, window } = await aReplay({ request: { filter } });
    await now.configure('handbook', { fields: { 'label.year': 'number' } });
    const { identical, compared } = await replay.run(reader(), { traceId, against: {} });
    expect([identical, compared?.side.hits.length]).toEqual([true, 2]);
    expect((await window.run(reader(), { limit: 10, against: {} })).retrievals).toHaveLength(1);
  });

  it('asks for the text of a query that was not recorded, and accepts no other', async () => {
    const { replay, traceId } = await aReplay({ recordQueries: false });
    await expect(replay.run(reader(), { traceId })).rejects.toThrow(InvalidValue);
    await expect(replay.run(reader(), { traceId, query: 'hot  water' })).rejects.toMatchObject({ field: 'query' });
    expect((await replay.run(reader(), { traceId, query: 'hot water' })).identical).toBe(true);
  });

  it('names a model that gives another vector than then, if none is on the record', async () => {
    const { replay, traceId, then } = await aReplay({ recordQueries: false, request: { strategy: 'DenseOnly' } });
    const { version } = then.model;
    const other = aFakeEmbeddingProvider();
    const changed = {
      ...other,
      version,
      embed: async (texts: readonly string[]) =>
        other.embed(
          texts.map((text) => `${text} changed`),
          'query',
        ),
    };
    then.configured = [changed as unknown as typeof other];
    const { identical, differences } = await replay.run(reader(), { traceId, query: 'hot water' });
    expect([identical, differences.map(({ reason }) => reason)]).toEqual([false, ['model']]);
  });

  describe('that was reranked', () => {
    const configured = (answer?: Parameters<typeof aFakeReranker>[0]): ConfiguredReranker => ({
      ...{ reranker: aFakeReranker(answer), candidates: 30, weight: 0.5, ms: 60_000 },
    });
    const request = { strategy: 'DenseSparseRerank' };

    it('asks the reranker again, with the recorded weight', async () => {
      const { replay, traceId, then } = await aReplay({ request, reranker: configured() });
      then.reranker = { ...configured(), weight: 0.1, candidates: 2 };
      const { identical, record } = await replay.run(reader(), { traceId });
      expect([identical, record.reranking]).toEqual([true, { reranker: 'fake:overlap', outcome: 'blended', candidates: 2, weight: 0.5 }]);
    });

    it('does not ask a reranker that was skipped then', async () => {
      const failing = configured({ answer: () => Promise.reject(new Unavailable('away', { forCallers: true })) });
      const { replay, traceId, then } = await aReplay({ request, reranker: failing });
      const working = aFakeReranker();
      then.reranker = { ...configured(), reranker: working };
      const { identical, record } = await replay.run(reader(), { traceId });
      expect([identical, record.reranking?.outcome, record.reranking?.reason, working.calls]).toEqual([true, 'skipped', 'away', []]);
    });

    it.each([
      [
        'another reranker',
        configured({ version: 'fake:other' }),
        'the reranker fake:overlap is not configured here any more, but fake:other',
      ],
      ['no reranker', undefined, 'no reranker is configured here'],
    ])('names what changed when there is %s', async (_, now, reason) => {
      const { replay, traceId, then } = await aReplay({ request, reranker: configured() });
      then.reranker = now;
      const { identical, differences } = await replay.run(reader(), { traceId });
      expect([identical, differences]).toEqual([false, [{ reason: 'reranker', detail: expect.stringContaining(reason), events: [] }]]);
    });

    it('names a reranker that scores otherwise than then', async () => {
      const { replay, traceId, then } = await aReplay({ request, reranker: configured() });
      then.reranker = configured({ answer: ({ passages }) => passages.map((__, i) => i) });
      const { differences } = await replay.run(reader(), { traceId });
      expect(differences).toEqual([{ reason: 'reranker', detail: expect.stringContaining('asked again'), events: [] }]);
    });

    it('is compared with a reranker only if there is one', async () => {
      const { replay, traceId, then } = await aReplay();
      await expect(replay.run(reader(), { traceId, against: { strategy: 'DenseSparseRerank' } })).rejects.toMatchObject({
        field: 'against.strategy',
      });
      then.reranker = configured();
      const { compared } = await replay.run(reader(), { traceId, against: { strategy: 'DenseSparseRerank' } });
      expect(compared?.side.reranked?.outcome).toBe('blended');
    });
  });

  describe('whose query was rewritten', () => {
    const writing = (text: string, version = 'fake:chat') => {
      const model = aFakeChatModel({ version, answer: () => JSON.stringify({ queries: [text] }) });
      return { model, ms: 60_000 };
    };
    const given = { request: { rewrite: 'queries' }, chat: writing('espresso') } as const;

    it('has the recorded texts, and asks no model', async () => {
      const { replay, traceId, then, log } = await aReplay(given);
      const other = writing('garden');
      then.chat = other;
      const { identical, record, compared } = await replay.run(reader(), { traceId, against: { fusion: 'rrf' } });
      expect([identical, record.rewriting]).toEqual([true, { by: 'queries', model: 'fake:chat+rewrite1', outcome: 'rewritten' }]);
      expect(compared?.side.rewriting?.texts).toEqual(['espresso']);
      expect(other.model.calls).toEqual([]);
      for await (const { data } of log.readAll({ from: position(0n) })) expect(JSON.stringify(data)).not.toContain('espresso');
    });

    it('asks the model again if the tenant did not let the texts be recorded, once for all that is compared', async () => {
      const { replay, traceId, then } = await aReplay({ ...given, recordQueries: false });
      const other = writing('garden');
      then.chat = other;
      const asked = { traceId, query: 'hot water' };
      const { differences, then: again, compared } = await replay.run(reader(), { ...asked, against: { fusion: 'rrf' } });
      expect(differences).toEqual([{ reason: 'model', detail: expect.stringContaining('fake:chat+rewrite1 was asked again'), events: [] }]);
      expect([again.rewriting?.texts, compared?.side.rewriting?.texts]).toEqual([['garden'], ['garden']]);
      expect(other.model.calls).toHaveLength(1);
    });

    it.each([
      ['another model', writing('espresso', 'fake:other'), 'fake:chat+rewrite1 is not configured here any more, but fake:other+rewrite1'],
      ['no model', undefined, 'no chat model is configured here'],
    ])('goes on without texts when there is %s, and says so', async (_, now, reason) => {
      const { replay, traceId, then } = await aReplay({ ...given, recordQueries: false });
      then.chat = now;
      const { differences } = await replay.run(reader(), { traceId, query: 'hot water' });
      expect(differences).toEqual([{ reason: 'model', detail: expect.stringContaining(reason), events: [] }]);
    });

    it('does not ask a model that was skipped then', async () => {
      const away = aFakeChatModel({ answer: () => Promise.reject(new Unavailable('away', { forCallers: true })) });
      const { replay, traceId, then } = await aReplay({ ...given, chat: { model: away, ms: 60_000 } });
      const other = writing('espresso');
      then.chat = other;
      const { identical, record } = await replay.run(reader(), { traceId });
      expect([identical, record.rewriting?.outcome, record.rewriting?.reason, other.model.calls]).toEqual([true, 'skipped', 'away', []]);
    });
  });

  it('refuses a generation that is not there', async () => {
    const { replay, traceId } = await aReplay();
    const generations = { [vectorScope('deployment')]: generationId('g9') };
    await expect(replay.run(reader(), { traceId, against: { generations } })).rejects.toMatchObject({
      code: 'InvalidValue',
      field: 'against.generations.deployment',
    });
  });

  it('says that the scope was erased', async () => {
    const { replay, window, traceId, then } = await aReplay();
    await then.keys.destroy({ tenant: ACME, scope: vectorScope('deployment') });
    await expect(replay.run(reader(), { traceId })).rejects.toThrow(ScopeKeyDestroyed);
    expect(await window.run(reader(), { limit: 5, against: {} })).toEqual({ retrievals: [], skipped: [{ traceId, reason: 'erased' }] });
  });

  it('compares many, and counts what changed', async () => {
    const { window, traceId } = await aReplay();
    const { retrievals, skipped, next } = await window.run(reader(), { limit: 5, against: {} });
    expect(retrievals).toMatchObject([{ traceId, identical: true, gained: 1, lost: 1, moved: 0, overlap: 0.5 }]);
    expect([skipped, next]).toEqual([[], undefined]);
  });

  it('counts the causes of many, the same as those of each one', async () => {
    const { window, replay, traceId } = await aReplay();
    for (const against of [{}, { strategy: 'SparseOnly', topK: 1 }] as const) {
      const { compared } = await replay.run(reader(), { traceId, against });
      const kinds = (compared?.changes ?? []).flatMap(({ causes }) => [...new Set(causes.map(({ kind }) => kind))]);
      const [found] = (await window.run(reader(), { limit: 5, against })).retrievals;
      expect(kinds.length).toBeGreaterThan(0);
      expect(found?.causes.flatMap(({ kind, changes }) => Array.from({ length: changes }, () => kind)).sort()).toEqual(kinds.sort());
      expect(found).not.toHaveProperty('truncated');
    }
  });

  it('takes only searches that included the knowledge base, which the caller must be able to read', async () => {
    const { window } = await aReplay();
    const replayed = async (knowledgeBase: string) => {
      const page = await window.run(reader(), { limit: 5, knowledgeBase: knowledgeBaseId(knowledgeBase), against: {} });
      return page.retrievals.length;
    };
    expect(await replayed('handbook')).toBe(1);
    await expect(replayed('none')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('takes only searches of the scope whose generation is compared', async () => {
    const { window } = await aReplay();
    const against = (scope: string) => ({ generations: { [vectorScope(scope)]: generationId('g9') } });
    expect(await window.run(reader(), { limit: 5, against: against('team:red') })).toEqual({ retrievals: [], skipped: [] });
    const mixed = { limit: 5, scope: vectorScope('deployment'), against: against('team:red') };
    expect((await window.run(reader(), mixed)).retrievals).toMatchObject([{ identical: true, gained: 1 }]);
    await expect(window.run(reader(), { limit: 5, against: against('deployment') })).rejects.toMatchObject({
      field: 'against.generations.deployment',
    });
  });

  it('skips a search whose moment was removed from the history, but not if it is that of the comparison', async () => {
    const { window, traceId, now, then } = await aReplay();
    const against = { asOf: { position: position(1_000n) } };
    now.removed.add(position(1_000n));
    await expect(window.run(reader(), { limit: 5, against })).rejects.toThrow(HistoryRemoved);
    now.removed.add(then.view.position());
    expect((await window.run(reader(), { limit: 5, against: {} })).skipped).toEqual([{ traceId, reason: 'removed' }]);
  });

  it('skips a record that does not open, and one whose text a model of the comparison refuses', async () => {
    const { window, log, traceId, then } = await aReplay({ request: { strategy: 'SparseOnly' } });
    const refusing = { ...then.model, version: then.model.version, embed: () => Promise.reject(new InvalidValue('query', 'short', '')) };
    then.configured = [refusing as unknown as typeof then.model];
    expect((await window.run(reader(), { limit: 5, against: { strategy: 'DenseOnly' } })).skipped).toEqual([
      { traceId, reason: 'refused' },
    ]);
    for await (const { stream, revision, id, type, data, metadata } of log.readAll({ types: ['KnowledgeRetrieved'] })) {
      // Sealed for another record.
      const moved = { id: `${id.slice(0, -4)}ffff`, type, data: { ...data, traceId: 'another one' }, metadata };
      await log.append(stream, [moved], revision);
      break;
    }
    expect((await window.run(reader(), { limit: 1, against: {} })).skipped).toEqual([{ traceId: 'another one', reason: 'unreadable' }]);
  });

  it('skips a search by vectors whose model is missing, and goes on', async () => {
    const { window, traceId, then } = await aReplay({ recordQueries: true, request: { strategy: 'DenseOnly' } });
    then.configured = [];
    const against = { asOf: { position: then.view.position() }, generations: {} };
    expect((await window.run(reader(), { limit: 5, against })).retrievals).toMatchObject([{ traceId, identical: true }]);
    const { window: unrecorded, traceId: other, then: world } = await aReplay({ request: { strategy: 'SparseOnly' } });
    world.configured = [];
    const page = await unrecorded.run(reader(), { limit: 5, against: { strategy: 'DenseOnly' } });
    expect(page).toEqual({ retrievals: [], skipped: [{ traceId: other, reason: 'model' }] });
  });

  it('replays one page of a tenant at a time', async () => {
    const { window } = await aReplay();
    const page = () => window.run(reader(), { limit: 5, against: {} });
    const [first, second] = await Promise.allSettled([page(), page()]);
    expect([first?.status, second?.status]).toEqual(['fulfilled', 'rejected']);
    expect((second as PromiseRejectedResult).reason).toMatchObject({ code: 'Overloaded' });
    expect((await page()).retrievals).toHaveLength(1);
  });
});
