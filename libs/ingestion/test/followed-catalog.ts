import type { CatalogChange } from '@palimpsest/knowledge/read-models';
import { InMemoryCatalog } from '@palimpsest/test-kit';
import { SCOPE, type World } from './world.ts';

/** A catalog of the documents and knowledge bases on the log of a world. `follow` applies what is new. */
export const followedCatalog = (world: World) => {
  const catalog = new InMemoryCatalog();
  const follow = async (): Promise<void> => {
    const changes: CatalogChange[] = [];
    for await (const { event, metadata } of world.journal.readAll({ from: await catalog.position() })) {
      const { tenant, scope = SCOPE.scope } = metadata;
      if (event.type === 'KnowledgeBaseCreated') {
        const { id, createdAt: at, ...settings } = event.data;
        changes.push({ change: 'knowledge-base-created', tenant, id, scope, settings, at });
      }
      if (event.type === 'KnowledgeBaseConfigured') {
        const { id, configuredAt: _at, ...settings } = event.data;
        changes.push({ change: 'knowledge-base-configured', tenant, id, settings });
      }
      if (event.type === 'KnowledgeBaseDeletionRequested') changes.push({ change: 'knowledge-base-deleting', tenant, id: event.data.id });
      if (event.type === 'KnowledgeBaseDeleted') changes.push({ change: 'knowledge-base-deleted', tenant, id: event.data.id });
      if (event.type === 'DocumentDeleted') changes.push({ change: 'document-deleted', tenant, documentId: event.data.documentId });
      if (event.type === 'DocumentSubmitted') {
        const { submittedAt: at, title = event.data.sourceId, mediaType = 'text/markdown', ...data } = event.data;
        changes.push({ change: 'document-submitted', tenant, scope, ...data, title, mediaType, at });
      }
      if (event.type === 'GenerationStarted') {
        const { recipe, generation: id } = event.data;
        const generation = { id, embeddingVersion: recipe.embedding.version, recipe, status: 'active' as const };
        changes.push({ change: 'generation', scope: { tenant, scope }, generation });
      }
    }
    await catalog.apply(changes, await world.log.head());
  };
  return { catalog, follow };
};
