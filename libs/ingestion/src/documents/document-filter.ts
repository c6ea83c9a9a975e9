import { asDeclared, checkFilter, fieldsIn, matches, OWN_FIELDS, type Attributes, type Filter } from '@palimpsest/knowledge/access';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { DocumentQuery, DocumentView, ListPage } from '@palimpsest/knowledge/read-models';
import type { KnowledgeBaseId } from '@palimpsest/knowledge/values';
import type { Readable } from './readable.ts';

export type DocumentCondition = (document: DocumentView) => boolean;

/** Documents that are read at once to find those that satisfy a filter. */
const READ_TOGETHER = 500;

/**
 * Whether a document satisfies the filter, by what its knowledge base declares. `knowledgeBase`: the only one that is read.
 * @throws InvalidValue for a field that lists do not know, and as `checkFilter` does
 */
export const documentCondition = async (
  { catalog, scopes }: Readable,
  filter: Filter,
  knowledgeBase?: KnowledgeBaseId,
): Promise<DocumentCondition> => {
  checkFields(filter);
  const bases = (await catalog.declaredFields(scopes)).filter(({ id }) => knowledgeBase === undefined || id === knowledgeBase);
  checkFilter(filter, bases);
  const declared = asDeclared(filter, bases);
  return (document) => matches(declared, attributesOf(document));
};

/** Under `not`, an unknown field would select every document. */
const checkFields = (filter: Filter): void => {
  for (const field of fieldsIn(filter))
    if (!OWN_FIELDS.includes(field) && !field.startsWith('label.'))
      throw new InvalidValue('filter', `${OWN_FIELDS.join(', ')} or label.<name>`, field);
};

/** Of a filter. A search also knows the metadata of files. */
const attributesOf = ({ documentId, knowledgeBase, sourceId, title, mediaType, language, origin, labels }: DocumentView): Attributes => ({
  ...Object.fromEntries(Object.entries(labels).map(([name, value]) => [`label.${name}`, value])),
  ...{ documentId, knowledgeBase, source: sourceId, title, mediaType, language, origin },
});

/** The whole list, or the rest after the cursor. `from`: the cursor that a page starts after. */
const eachPage = async function* (
  { catalog, scopes }: Readable,
  { limit: _limit, cursor: first, ...query }: DocumentQuery,
): AsyncGenerator<Readonly<{ documents: readonly DocumentView[]; from?: string; hasMore: boolean }>> {
  for (let from = first; ;) {
    const at = from === undefined ? {} : { from };
    const { items, next } = await catalog.documents(scopes, {
      ...query,
      limit: READ_TOGETHER,
      ...(from === undefined ? {} : { cursor: from }),
    });
    yield { documents: items, ...at, hasMore: next !== undefined };
    if (next === undefined) return;
    from = next;
  }
};

/** The page of the list as if it had only documents that satisfy the condition. It reads as many as it needs. */
export const filteredPage = async (of: Readable, query: DocumentQuery, isWanted: DocumentCondition): Promise<ListPage<DocumentView>> => {
  const items: DocumentView[] = [];
  for await (const { documents, from, hasMore } of eachPage(of, query)) {
    for (const [i, document] of documents.entries()) {
      if (!isWanted(document)) continue;
      items.push(document);
      if (items.length < query.limit) continue;
      if (i === documents.length - 1 && !hasMore) return { items };
      // The catalog makes the cursor after this document.
      const { next } = await of.catalog.documents(of.scopes, { ...query, limit: i + 1, ...(from === undefined ? {} : { cursor: from }) });
      return { items, ...(next === undefined ? {} : { next }) };
    }
  }
  return { items };
};

export const countFiltered = async (
  of: Readable,
  query: Omit<DocumentQuery, 'limit' | 'cursor'>,
  isWanted: DocumentCondition,
): Promise<number> => {
  let count = 0;
  for await (const { documents } of eachPage(of, { ...query, limit: READ_TOGETHER })) count += documents.filter(isWanted).length;
  return count;
};
