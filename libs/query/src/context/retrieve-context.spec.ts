import { parseInput } from '@palimpsest/contracts';
import { retrieveContext } from '@palimpsest/contracts/routes/search';
import { RateLimited } from '@palimpsest/knowledge/errors';
import { UNLIMITED, type QuotaPolicy } from '@palimpsest/knowledge/limits';
import { Buses } from '@palimpsest/runtime';
import { wordCounter } from '@palimpsest/test-kit';
import { DirectBus } from '../../test/direct-bus.ts';
import { aDocument, reader, SearchWorld } from '../../test/search-world.ts';
import { RetrievalRecordQueue } from '../retrieval-records/retrieval-record-queue.ts';
import { SearchKnowledgeHandler } from '../search/search-knowledge.ts';
import { contextRequest } from './context-request.ts';
import { RetrieveContext, RetrieveContextHandler } from './retrieve-context.ts';

const LIBRARY = ['espresso is brewed with hot water', 'green tea leaves steep in hot water', 'a locomotive burns coal'];

const aContext = async (quotaPolicy: QuotaPolicy = UNLIMITED) => {
  const world = new SearchWorld();
  for (const [i, text] of LIBRARY.entries()) await world.add(i + 1, text, { title: `Page ${i + 1}` });
  const records = new RetrievalRecordQueue(new DirectBus(), () => undefined);
  const search = new SearchKnowledgeHandler({
    ...world.ports,
    views: world.views,
    pastViews: world.pastViews,
    records,
    quotaPolicy,
    version: '9.9.9',
  });
  const buses = new Buses([...search.handlers, ...new RetrieveContextHandler(search, wordCounter).handlers], quotaPolicy);
  const run = (request: object) =>
    buses.execute(
      new RetrieveContext({ access: reader(), correlationId: 'test' }, contextRequest(parseInput(retrieveContext.body.json, request))),
    );
  return { world, run };
};

describe('A context for a prompt', () => {
  it('quotes the best passages with their citations and sources, within its budget', async () => {
    const { run, world } = await aContext();
    const { text, citations, tokens, position, traceId, miss } = await run({ query: 'espresso with hot water', maxTokens: 100, topK: 1 });
    expect(text).toContain(LIBRARY[0]);
    expect(text).not.toContain(LIBRARY[2]);
    expect(citations).toMatchObject([
      { label: '[Doc Page 1, Chunk 1 of 1]', documentId: aDocument(1), source: 'doc-1.txt', truncated: false },
    ]);
    expect(tokens).toBe(wordCounter.count(text));
    expect(tokens).toBeLessThanOrEqual(100);
    expect({ position, miss }).toEqual({ position: world.view.position(), miss: false });
    expect(traceId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('cites or lists as left out every passage that the search found', async () => {
    const { run } = await aContext();
    const { citations, leftOut } = await run({ query: 'espresso with hot water', maxTokens: 400 });
    expect(citations.length + leftOut.length).toBe(LIBRARY.length);
    expect(leftOut).toContainEqual({ chunkId: expect.any(String), reason: 'irrelevant' });
  });

  it('quotes the passages around the results after all results, each once, and joins those that follow each other', async () => {
    const { run, world } = await aContext();
    const passages = [
      'the beans are roasted',
      'a lever machine presses them',
      'a lever needs strength',
      'milk is steamed',
      'cups are warm',
    ];
    await world.add(7, passages, { title: 'Manual' });
    const request = { query: 'lever', strategy: 'SparseOnly', expand: 'neighbours', maxTokens: 400 };
    const { text, citations, leftOut } = await run(request);
    expect(
      citations
        .map(({ index }) => index)
        .slice(0, 2)
        .sort(),
    ).toEqual([1, 2]);
    expect(
      citations
        .map(({ index }) => index)
        .slice(2)
        .sort(),
    ).toEqual([0, 3]);
    for (const passage of passages.slice(0, 4)) expect(text.split(passage)).toHaveLength(2);
    expect(text.indexOf('roasted')).toBeLessThan(text.indexOf('a lever machine'));
    expect(text).not.toContain('cups');
    expect(leftOut).toEqual([]);
  });

  it('refuses when it must be grounded and nothing is found', async () => {
    const { run } = await aContext();
    const { text, ...context } = await run({ query: 'zebra', strategy: 'SparseOnly', grounding: 'StrictlyGrounded' });
    expect(context).toMatchObject({ citations: [], refuse: true, miss: true });
    expect(text).toContain('No excerpt');
  });

  it('says that another strategy was used, as a search does', async () => {
    const downgraded = { asked: 'DenseSparseHybrid', used: 'SparseOnly', detail: 'not in your tier' } as const;
    const { run } = await aContext({ ...UNLIMITED, downgrade: () => downgraded });
    expect((await run({ query: 'espresso' })).downgraded).toEqual(downgraded);
  });

  it('is counted once for the rate, as a context', async () => {
    const kinds: string[] = [];
    const { run } = await aContext({ ...UNLIMITED, request: async (_, kind) => void kinds.push(kind) });
    await run({ query: 'espresso' });
    expect(kinds).toEqual(['context']);
    const limited = await aContext({ ...UNLIMITED, request: async () => Promise.reject(new RateLimited('too many requests', 1)) });
    await expect(limited.run({ query: 'espresso' })).rejects.toThrow(RateLimited);
  });
});
