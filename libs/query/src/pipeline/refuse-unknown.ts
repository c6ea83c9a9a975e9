import { authorise, isNamedByKey } from '@palimpsest/knowledge/access';
import { NotFound } from '@palimpsest/knowledge/errors';
import type { Access } from '@palimpsest/knowledge/access';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import type { KnowledgeBaseId, VectorScope } from '@palimpsest/knowledge/values';

type Named = Readonly<{ scopes?: readonly VectorScope[]; knowledgeBases?: readonly KnowledgeBaseId[] }>;
/** `known`: the scopes of this tenant in the catalog. */
type Names = Readonly<{ known: readonly VectorScope[]; catalog: Pick<CatalogReader, 'knowledgeBase'> }>;

/**
 * A search in something that does not exist would look like a search without results. Something that the caller may not read causes
 * the same error as something that does not exist. `all`: what one of them has, exists: for a search in the past, what existed then, and
 * what exists now.
 * @throws NotFound naming the first scope or knowledge base that does not exist or that the caller may not read
 */
export const refuseUnknown = async (access: Access, { scopes = [], knowledgeBases = [] }: Named, all: readonly Names[]): Promise<void> => {
  for (const scope of scopes) {
    const exists = all.some(({ known }) => known.includes(scope)) || isNamedByKey(access, scope);
    if (!exists || authorise(access, [scope]).length === 0) throw new NotFound('scope', scope);
  }
  for (const id of knowledgeBases) {
    const found = await Promise.all(all.map(({ catalog, known }) => catalog.knowledgeBase(authorise(access, known), id)));
    if (found.every((base) => base === undefined)) throw new NotFound('knowledge base', id);
  }
};
