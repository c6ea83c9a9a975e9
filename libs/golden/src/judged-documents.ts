import { documentIdOf, type Journal } from '@palimpsest/contracts';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import { isGone, knowledgeBase as decider, knowledgeBaseStream } from '@palimpsest/knowledge/deciders';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { DocumentIds } from '@palimpsest/knowledge/events';
import type { ScopeCipher } from '@palimpsest/knowledge/ports';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import type { KnowledgeBaseId } from '@palimpsest/knowledge/values';
import type { FindDocument } from './parse-queries.ts';

type Parts = Readonly<{ journal: Journal; catalog: Pick<CatalogReader, 'knowledgeBases' | 'document'> }>;
/** `knowledgeBase`: of sources that name none. */
type Where = Readonly<{ scope: PermittedScope; cipher: ScopeCipher; knowledgeBase?: KnowledgeBaseId }>;

/** Finds documents of one scope by source or id. The id follows from knowledge base and source, so the document need not exist. */
export const documentsOf = async ({ journal, catalog }: Parts, { scope, cipher, knowledgeBase: named }: Where): Promise<FindDocument> => {
  const { tenant } = scope;
  const known = new Map<KnowledgeBaseId, DocumentIds>();
  const idsOf = async (id: KnowledgeBaseId): Promise<DocumentIds> => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const { state } = await journal.load(decider, knowledgeBaseStream(tenant, id));
    // One of another scope is refused like one that does not exist.
    if (isGone(state) || state.scope !== scope.scope)
      throw new InvalidValue('knowledgeBase', `a knowledge base of the scope "${scope.scope}"`, id);
    known.set(id, state.documentIds);
    return state.documentIds;
  };
  if (named !== undefined) await idsOf(named);
  let only: Promise<KnowledgeBaseId> | undefined;

  return async ({ source, documentId, knowledgeBase: given = named }) => {
    if (documentId !== undefined) {
      const document = await catalog.document([scope], documentId);
      return document === undefined ? { documentId } : { documentId, knowledgeBase: document.knowledgeBase, sourceId: document.sourceId };
    }
    if (source === undefined) throw new InvalidValue('source', 'a source or a documentId', source);
    const knowledgeBase = given ?? (await (only ??= onlyBaseOf(catalog, scope)));
    const documentIds = await idsOf(knowledgeBase);
    const id = await documentIdOf(journal, cipher, { tenant, knowledgeBase, sourceId: source, documentIds });
    return { documentId: id, knowledgeBase, sourceId: source };
  };
};

/** @throws InvalidValue if the scope has none or several */
const onlyBaseOf = async (catalog: Pick<CatalogReader, 'knowledgeBases'>, scope: PermittedScope): Promise<KnowledgeBaseId> => {
  const bases = (await catalog.knowledgeBases([scope])).map(({ id }) => id);
  const [base, ...others] = bases;
  if (base === undefined || others.length > 0)
    throw new InvalidValue(
      'knowledgeBase',
      base === undefined ? 'a knowledge base: the scope has none' : `one of ${bases.join(', ')}`,
      undefined,
    );
  return base;
};
