import fc from 'fast-check';
import { permittedScope, type Filter } from '@palimpsest/knowledge/access';
import { documentId, knowledgeBaseId, position, sourceId, vectorScope } from '@palimpsest/knowledge/values';
import { InMemoryCatalog } from '@palimpsest/test-kit';
import { BASE, SCOPE, WRITER } from '../../test/world.ts';
import { countFiltered, documentCondition, filteredPage } from './document-filter.ts';

const AT = '2026-11-28T00:00:00.000Z';
const OTHER = vectorScope('team:blue');

/** A document for each weight, of which those of the other scope are secret; sorted by source. */
const aCatalog = async (weights: readonly number[]) => {
  const catalog = new InMemoryCatalog();
  const document = (n: number, weight: number, scope = SCOPE.scope) => ({
    change: 'document-submitted' as const,
    tenant: SCOPE.tenant,
    scope,
    documentId: documentId(n.toString(16).padStart(32, scope === OTHER ? 'f' : '0')),
    knowledgeBase: scope === OTHER ? knowledgeBaseId('secret') : BASE,
    sourceId: sourceId(`${String(n).padStart(4, '0')}.md`),
    title: `Title ${n}`,
    mediaType: 'text/markdown',
    version: 1,
    bytes: 1,
    checksum: 'a'.repeat(64) as never,
    labels: { weight: String(weight) },
    origin: 'UserContent' as const,
    at: AT,
  });
  const settings = { name: 'Base', description: '', chunking: { markdown: {}, tokens: {}, sheets: {}, code: {} } };
  const base = { change: 'knowledge-base-created' as const, tenant: SCOPE.tenant, at: AT };
  await catalog.apply(
    [
      { ...base, id: BASE, scope: SCOPE.scope, settings: { ...settings, fields: { 'label.weight': 'number' } } },
      { ...base, id: knowledgeBaseId('secret'), scope: OTHER, settings: { ...settings, fields: { 'label.secret': 'date' } } },
      ...weights.flatMap((weight, n) => [document(n, weight), document(n, weight, OTHER)]),
    ],
    position(1n),
  );
  return { catalog, scopes: [permittedScope(WRITER, SCOPE.scope)] };
};
const atLeast = (gte: number): Filter => ({ range: { field: 'label.weight', gte } });

describe('A list of documents by filter', () => {
  it('has every matching document on one page, in order, and counts them, whatever the size of a page', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 0, max: 13 }),
        fc.integer({ min: 1, max: 9 }),
        async (weights, bound, limit) => {
          const of = await aCatalog(weights);
          const isWanted = await documentCondition(of, atLeast(bound));
          const expected = weights.flatMap((weight, n) => (weight >= bound ? [`Title ${n}`] : []));
          const found: string[] = [];
          for (let cursor: string | undefined; ;) {
            const { items, next } = await filteredPage(of, { limit, ...(cursor === undefined ? {} : { cursor }) }, isWanted);
            found.push(...items.map(({ title }) => title));
            expect(items.length).toBeLessThanOrEqual(limit);
            if (next === undefined) break;
            expect(items).toHaveLength(limit);
            cursor = next;
          }
          expect(found).toEqual(expected);
          expect(await countFiltered(of, {}, isWanted)).toBe(expected.length);
        },
      ),
      { numRuns: 40 },
    ));

  it('finds documents beyond those that it reads at once', async () => {
    const of = await aCatalog(Array.from({ length: 1_203 }, (_, n) => (n % 400 === 399 ? 1 : 0)));
    const isWanted = await documentCondition(of, atLeast(1));
    const { items, next } = await filteredPage(of, { limit: 2 }, isWanted);
    expect(items.map(({ title }) => title)).toEqual(['Title 399', 'Title 799']);
    const rest = await filteredPage(of, { limit: 2, cursor: next as string }, isWanted);
    expect([rest.items.map(({ title }) => title), rest.next]).toEqual([['Title 1199'], undefined]);
    expect(await countFiltered(of, {}, isWanted)).toBe(3);
  });

  it('refuses fields that documents do not have, and knows nothing of what the caller may not read', async () => {
    const of = await aCatalog([1]);
    await expect(documentCondition(of, { not: { exists: { field: 'meta.author' } } })).rejects.toThrow(
      /^filter: expected documentId, .*got "meta.author"$/,
    );
    await expect(documentCondition(of, { exists: { field: 'label.secret' } })).rejects.toThrow(
      'filter: expected a field that the knowledge base declares (label.weight, documentId, knowledgeBase, source, title, mediaType, language, origin), got "label.secret"',
    );
    expect(await countFiltered(of, {}, await documentCondition(of, { exists: { field: 'title' } }))).toBe(1);
  });
});
