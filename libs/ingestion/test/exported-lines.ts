import type { Access } from '@palimpsest/knowledge/access';
import { isGone, knowledgeBase, knowledgeBaseStream } from '@palimpsest/knowledge/deciders';
import type { Catalog } from '@palimpsest/knowledge/read-models';
import { sourceId } from '@palimpsest/knowledge/values';
import { PortableExport } from '../src/transfer/portable-export.ts';
import { BASE, SCOPE, sections, World, WRITER } from './world.ts';

const ADMIN: Access = { ...WRITER, roles: ['admin'] };

/** A catalog that reads its lists from the log. */
export const catalogOf = (world: World): Catalog =>
  ({
    knowledgeBases: async () => {
      const { state } = await world.journal.load(knowledgeBase, knowledgeBaseStream(SCOPE.tenant, BASE));
      return isGone(state)
        ? []
        : [{ id: BASE, tenant: SCOPE.tenant, scope: state.scope, status: state.status, documents: 2, createdAt: '', ...state.settings }];
    },
    documents: async () => {
      const ids = new Set<string>();
      for await (const { event } of world.journal.readAll()) if (event.type === 'DocumentSubmitted') ids.add(event.data.documentId);
      return { items: [...ids].map((documentId) => ({ documentId })) };
    },
  }) as unknown as Catalog;

/** An export of two documents without its last line, each line as an object. */
export const exportedLines = async (): Promise<Record<string, unknown>[]> => {
  const world = await new World().begin();
  await world.index(sections('Apple', 'Berry'), { labels: { team: 'red' }, title: 'The guide', fileName: 'guide.md' });
  await world.index(sections('Cedar', 'Dill'), { sourceId: sourceId('other.md') });
  const { journal, blobs, keys, now } = world;
  const lines: Record<string, unknown>[] = [];
  for await (const record of await new PortableExport({ journal, blobs, keys, now, catalog: catalogOf(world) }).run(ADMIN, SCOPE.scope))
    lines.push(JSON.parse(JSON.stringify(record)) as Record<string, unknown>);
  return lines.filter(({ kind }) => kind !== 'end');
};
