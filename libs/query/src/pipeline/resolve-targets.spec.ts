import type { Filter } from '@palimpsest/knowledge/access';
import { aChunk, reader, SearchWorld } from '../../test/search-world.ts';
import { searchRequest } from '../search/search-request.ts';
import { runSearch } from './run-search.ts';
import { searchStages } from './search-stages.ts';

const TEXT = 'espresso is brewed with hot water';

/** Reports declare fields, letters others, notes none; secrets are in a scope of their own. */
const aWorld = async () => {
  const world = new SearchWorld();
  await world.add(1, TEXT, { knowledgeBase: 'reports', labels: { year: '999' } });
  await world.add(2, TEXT, { knowledgeBase: 'reports', labels: { year: '2026.0' } });
  await world.add(3, TEXT, { knowledgeBase: 'reports', labels: { year: 'unknown' } });
  await world.add(4, TEXT, { knowledgeBase: 'letters', labels: { sent: '2026-11-28T01:00:00+02:00' } });
  await world.add(5, TEXT, { knowledgeBase: 'secrets', scope: 'team:blue', labels: { code: '7' } });
  await world.configure('reports', { fields: { 'label.year': 'number' } });
  await world.configure('letters', { fields: { 'label.sent': 'date' } });
  await world.configure('secrets', { fields: { 'label.code': 'number', 'label.year': 'date' } });
  const found = async (filter: Filter, over: object = {}, access = reader()) => {
    const request = searchRequest({ query: 'espresso', filter, ...over });
    const { hits } = await runSearch(searchStages(world.ports), { request, access, view: world.view });
    return hits.map(({ chunkId }) => chunkId).sort();
  };
  return { world, found };
};

describe('A filter of a search', () => {
  it('compares by the types that the knowledge base of each document declares', async () => {
    const { found } = await aWorld();
    expect(await found({ range: { field: 'label.year', gte: 1000 } })).toEqual([aChunk(2)]);
    expect(await found({ range: { field: 'label.sent', lt: '2026-11-28' } })).toEqual([aChunk(4)]);
    expect(await found({ or: [{ eq: { field: 'label.year', value: '2026' } }, { exists: { field: 'label.sent' } }] })).toEqual([
      aChunk(2),
      aChunk(4),
    ]);
  });

  it('has the labels that the key requires as a further condition, compared as text', async () => {
    const { found, world } = await aWorld();
    await world.add(6, TEXT, { knowledgeBase: 'notes', labels: { year: '2026' } });
    const limited = (...year: string[]) => reader({ requiredLabels: { year } });
    const all = { exists: { field: 'knowledgeBase' } } as const;
    expect(await found(all, {}, limited('2026.0', '999'))).toEqual([aChunk(1), aChunk(2)]);
    expect(await found({ not: all }, {}, limited('2026.0'))).toEqual([]);
    expect(await found({ or: [all, { not: all }] }, { topK: 1 }, limited('2026'))).toEqual([aChunk(6)]);
    expect(
      await found({ eq: { field: 'label.year', value: 'unknown' } }, { knowledgeBases: ['notes', 'reports'] }, limited('2026')),
    ).toEqual([]);
  });

  it('is refused for a field that no searched knowledge base declares, and never names those that the caller may not read', async () => {
    const { found, world } = await aWorld();
    const filter = { eq: { field: 'label.code', value: 7 } } as const;
    const listed = (names: string) =>
      `filter: expected a field that the knowledge base declares (${names}, documentId, knowledgeBase, source, title, mediaType, language, origin), got "label.code"`;
    await expect(found(filter)).rejects.toThrow(listed('label.sent, label.year'));
    await expect(found(filter, { knowledgeBases: ['reports'] })).rejects.toThrow(listed('label.year'));
    expect(await found(filter, {}, reader({ teams: ['blue'] }))).toEqual([aChunk(5)]);
    // `secrets` declares a date, which this caller does not notice.
    await expect(found({ eq: { field: 'label.year', value: '2026-11-28' } })).rejects.toThrow(/which is declared as number/);
    await world.add(6, TEXT, { knowledgeBase: 'notes', labels: { code: '7' } });
    expect(await found(filter)).toEqual([]);
    expect(await found({ eq: { field: 'label.code', value: '7' } })).toEqual([aChunk(6)]);
  });
});
