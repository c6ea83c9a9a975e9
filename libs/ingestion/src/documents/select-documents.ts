import type { Filter } from '@palimpsest/knowledge/access';
import { InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import type { DocumentState, DocumentView } from '@palimpsest/knowledge/read-models';
import type { DocumentId, KnowledgeBaseId, Labels, SourceId, VectorScope } from '@palimpsest/knowledge/values';
import { documentCondition, type DocumentCondition } from './document-filter.ts';
import type { Readable } from './readable.ts';

/** Conditions that a document must all satisfy. `knowledgeBase`, `status`, `source`: as in the list of documents. */
export type Selection = Readonly<{
  knowledgeBase?: KnowledgeBaseId;
  scope?: VectorScope;
  status?: DocumentState;
  source?: string;
  sourceId?: SourceId;
  labels?: Labels;
  ids?: readonly DocumentId[];
  filter?: Filter;
}>;

/** `matching`: how many documents match; `first`: the first of them, sorted by source. */
export type Selected = Readonly<{ matching: number; first: readonly DocumentView[] }>;

const PAGE = 500;

/**
 * Selects at most `limit` documents of those that the caller may read.
 * @throws InvalidValue if too little or an unknown field is named; NotFound for a knowledge base that the caller may not read
 */
export const selectDocuments = async (of: Readable, selection: Selection, limit: number): Promise<Selected> => {
  check(selection);
  const { knowledgeBase, scope, status, source, sourceId, labels, ids } = selection;
  const scopes = of.scopes.filter((permitted) => scope === undefined || permitted.scope === scope);
  if (knowledgeBase !== undefined && !(await of.catalog.knowledgeBase(of.scopes, knowledgeBase)))
    throw new NotFound('knowledge base', knowledgeBase);
  const prefix = sourceId ?? source;
  const listed = {
    ...(knowledgeBase === undefined ? {} : { knowledgeBase }),
    ...(status === undefined ? {} : { status }),
    ...(prefix === undefined ? {} : { source: prefix }),
  };
  const isWanted = await conditionOf({ ...of, scopes }, selection);
  const first: DocumentView[] = [];
  let matching = 0;
  for (let cursor: string | undefined; ;) {
    const page = await of.catalog.documents(scopes, { ...listed, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    const found = page.items.filter(isWanted);
    matching += found.length;
    first.push(...found.slice(0, limit - first.length));
    cursor = page.next;
    if (cursor === undefined) return { matching, first };
    // What the list itself selects need not be read to be counted.
    if (first.length === limit && [sourceId, labels, ids, selection.filter].every((one) => one === undefined))
      return { matching: await of.catalog.countDocuments(scopes, listed), first };
  }
};

const conditionOf = async (of: Readable, selection: Selection): Promise<DocumentCondition> => {
  const { knowledgeBase, source, sourceId, labels = {}, ids, filter } = selection;
  const isKept = filter && (await documentCondition(of, filter, knowledgeBase));
  const named = ids && new Set(ids);
  return (document) =>
    (sourceId === undefined || (document.sourceId === sourceId && sourceId.startsWith(source ?? ''))) &&
    Object.entries(labels).every(([name, value]) => document.labels[name] === value) &&
    (named?.has(document.documentId) ?? true) &&
    (isKept?.(document) ?? true);
};

/** A request that names too little is more likely a mistake than a wish to delete everything. */
const check = ({ knowledgeBase, scope, ...conditions }: Selection): void => {
  if (knowledgeBase === undefined && scope === undefined) throw new InvalidValue('knowledgeBase', 'a knowledge base or a scope', undefined);
  const { labels, ...others } = conditions;
  if (Object.values(others).every((one) => one === undefined) && Object.keys(labels ?? {}).length === 0)
    throw new InvalidValue('body', 'at least one of status, source, sourceId, labels, ids, filter', undefined);
};
