import { authorise, isNamedByKey } from '@palimpsest/knowledge/access';
import { NotFound } from '@palimpsest/knowledge/errors';
import type { Access } from '@palimpsest/knowledge/access';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import type { KnowledgeBaseId, VectorScope } from '@palimpsest/knowledge/values';

type Named = Readonly<{ scopes?: readonly VectorScope[]; knowledgeBases?: readonly KnowledgeBaseId[] }>;

/**
 * A search in something that does not exist would look like a search without results. Something that the caller may not read causes
 * the same error as something that does not exist. `known`: the scopes of this tenant in the catalog.
 * @throws NotFound naming the first scope or knowledge base that does not exist or that the caller may not read
 */
export const refuseUnknown = async (
  access: Access,
  { scopes = [], knowledgeBases = [] }: Named,
  known: readonly VectorScope[],
  catalog: Pick<CatalogReader, 'knowledgeBase'>,
): Promise<void> => {
  for (const scope of scopes) {
    const exists = known.includes(scope) || isNamedByKey(access, scope);
    if (!exists || authorise(access, [scope]).length === 0) throw new NotFound('scope', scope);
  }
  const readable = authorise(access, known);
  for (const id of knowledgeBases) if (!(await catalog.knowledgeBase(readable, id))) throw new NotFound('knowledge base', id);
};
