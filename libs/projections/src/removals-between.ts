import type { Journal } from '@palimpsest/contracts';
import type { Catalog, ChunkId, DomainEvent } from '@palimpsest/knowledge';
import { ScopeGenerations } from './scope-generations.ts';
import type { RemovalsBetween } from './shared-index-writer.ts';

const goneBy = (event: DomainEvent): readonly ChunkId[] =>
  event.type === 'DocumentIndexed' ? event.data.removed : event.type === 'DocumentDeleted' ? event.data.chunks : [];

/** What the facts of a stretch of the log take out of the indexes, for the generations that the catalogue knows as live. */
export const removalsOnTheLog = (journal: Journal, catalog: Catalog): RemovalsBetween =>
  async function* (after, upTo) {
    const generations = new ScopeGenerations();
    await generations.load(catalog);
    for await (const { event, metadata, position: at } of journal.readAll({ from: after, types: ['DocumentIndexed', 'DocumentDeleted'] })) {
      if (at > upTo) return;
      if (metadata.scope === undefined) continue;
      const scope = { tenant: metadata.tenant, scope: metadata.scope };
      for (const chunkId of goneBy(event))
        for (const { id: generation } of generations.live(scope)) yield { partition: { scope, generation }, removal: { write: 'remove', chunkId, at } };
    }
  };
