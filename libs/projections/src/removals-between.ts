import type { Journal } from '@palimpsest/contracts';
import type { DomainEvent } from '@palimpsest/knowledge/events';
import type { Catalog } from '@palimpsest/knowledge/read-models';
import type { ChunkId } from '@palimpsest/knowledge/values';
import { ScopeGenerations } from './scope-generations.ts';
import type { RemovalsBetween } from './shared-index-writer.ts';

const removedBy = (event: DomainEvent): readonly ChunkId[] =>
  event.type === 'DocumentIndexed' ? event.data.removed : event.type === 'DocumentDeleted' ? event.data.chunks : [];

/** The index removals of the facts between two positions, for the generations that are live in the catalog. */
export const removalsOnTheLog = (journal: Journal, catalog: Catalog): RemovalsBetween =>
  async function* (after, upTo) {
    const generations = new ScopeGenerations();
    await generations.load(catalog);
    for await (const { event, metadata, position: at } of journal.readAll({
      from: after,
      upTo,
      types: ['DocumentIndexed', 'DocumentDeleted'],
    })) {
      if (metadata.scope === undefined) continue;
      const scope = { tenant: metadata.tenant, scope: metadata.scope };
      const live = event.type === 'DocumentIndexed' ? generations.liveWith(scope, event.data.chunkList) : generations.live(scope);
      for (const chunkId of removedBy(event))
        for (const { id: generation } of live) yield { partition: { scope, generation }, removal: { write: 'remove', chunkId, at } };
    }
  };
