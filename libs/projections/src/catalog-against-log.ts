import type { Journal } from '@palimpsest/contracts';
import type { CatalogRow, ChunkId, DomainEvent, Fact, Position } from '@palimpsest/knowledge';
import { ReadModelProjector } from './read-model-projector.ts';
import type { ReadModelStores } from './read-model-stores.ts';
import { PROJECTED } from './projected-types.ts';
import type { Difference } from './difference.ts';

const BATCH = 512;

/**
 * Row by row, what the catalogue holds, and what one holds that is made anew from the log up to a position: nothing else notices
 * that a title, a label or the settings of a knowledge base changed on disk. Only while nothing is projected.
 */
export const catalogAgainstLog = async ({ journal, catalog, keys }: ReadModelStores, upTo: Position): Promise<readonly Difference[]> => {
  const spare = await catalog.spare();
  try {
    const projector = new ReadModelProjector({ journal, catalog: spare, keys });
    await projector.start();
    for await (const facts of batches(journal, upTo)) await projector.write(await projector.prepare(facts, facts.at(-1)?.position ?? upTo));
    const expected = new Map<string, CatalogRow>();
    for await (const row of spare.rows()) expected.set(keyOf(row), row);
    const differences: Difference[] = [];
    for await (const row of catalog.rows()) {
      const wanted = expected.get(keyOf(row));
      if (wanted === undefined) differences.push(difference(row, 'extra'));
      else if (wanted.digest !== row.digest) differences.push(difference(row, 'different'));
      expected.delete(keyOf(row));
    }
    return [...differences, ...[...expected.values()].map((row) => difference(row, 'missing'))];
  } finally {
    await spare.close();
  }
};

async function* batches(journal: Journal, upTo: Position): AsyncGenerator<readonly Fact<DomainEvent>[]> {
  let facts: Fact<DomainEvent>[] = [];
  for await (const fact of journal.readAll({ types: PROJECTED })) {
    if (fact.position > upTo) break;
    if (facts.push(fact) < BATCH) continue;
    yield facts;
    facts = [];
  }
  if (facts.length > 0) yield facts;
}

const keyOf = ({ table, tenant, scope, key }: CatalogRow): string => JSON.stringify([table, tenant, scope, key]);

const difference = ({ table, tenant, scope, key }: CatalogRow, kind: Difference['kind']): Difference => ({
  store: 'catalog', kind, tenant, scope, ...(table === 'chunks' ? { chunkId: key as ChunkId } : { row: `${table} ${key}`.trim() }),
});
