import { textIfAny } from '@palimpsest/contracts';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { EvaluatedQuery, Evaluation } from '@palimpsest/knowledge/evaluation';
import type { GoldenQueries, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { CatalogReader, DocumentView, VisibleChunk } from '@palimpsest/knowledge/read-models';
import type { ChunkListId, DocumentId } from '@palimpsest/knowledge/values';

export type ShownResult = Readonly<{ documentId: DocumentId; source?: string }>;
export type ShownQuery = Readonly<{
  source: EvaluatedQuery['source'];
  name: string;
  text?: string;
  before: number;
  after: number;
  resultsBefore: readonly ShownResult[];
  resultsAfter: readonly ShownResult[];
}>;
/** `rows`: everything that was read for it, each of which the caller must be allowed to see. */
export type ShownEvaluation = Readonly<{
  evaluation: Evaluation;
  worst: readonly ShownQuery[];
  best: readonly ShownQuery[];
  rows: readonly (VisibleChunk | DocumentView | PermittedScope)[];
}>;

export type DescribePorts = Readonly<{
  catalog: Pick<CatalogReader, 'chunks' | 'document'>;
  keys: ScopeKeys;
  golden: GoldenQueries;
}>;

/**
 * Adds what the log does not hold in words: texts of queries and names of documents, as far as they still exist. `lists`: the chunk lists
 * of both sides.
 */
export const describeEvaluation = async (
  { catalog, keys, golden }: DescribePorts,
  scope: PermittedScope,
  evaluation: Evaluation,
  lists: readonly ChunkListId[],
): Promise<ShownEvaluation> => {
  const rows: (VisibleChunk | DocumentView | PermittedScope)[] = [scope];
  const changed = evaluation.queries.filter(({ documents }) => documents !== undefined);
  const selfIds = changed.flatMap((query) => (query.source === 'self' ? query.chunkId : []));
  const chunks = selfIds.length === 0 ? [] : (await Promise.all(lists.map((list) => catalog.chunks([scope], selfIds, list)))).flat();
  rows.push(...chunks);
  const texts = new Map<string, string>();
  for (const chunk of chunks) {
    const text = await textIfAny(keys, scope, chunk);
    if (text) texts.set(chunk.chunkId, text.text);
  }
  for (const { name, version, queries } of changed.some(({ source }) => source === 'golden') ? await golden.ofScope(scope) : [])
    for (const { id, text } of queries) texts.set(goldenName(name, version, id), text);
  const documents = new Map<DocumentId, DocumentView>();
  for (const id of new Set(changed.flatMap(({ documents: found }) => [...(found?.before ?? []), ...(found?.after ?? [])]))) {
    const document = await catalog.document([scope], id);
    if (!document) continue;
    documents.set(id, document);
    rows.push(document);
  }
  const result = (documentId: DocumentId): ShownResult => {
    const source = documents.get(documentId)?.sourceId;
    return { documentId, ...(source === undefined ? {} : { source }) };
  };
  const shown = (query: EvaluatedQuery): ShownQuery => {
    const name = query.source === 'golden' ? goldenName(query.set, query.version, query.id) : query.chunkId;
    const whole = texts.get(name);
    const text = query.source === 'golden' ? whole : whole?.slice(query.start, query.end);
    return {
      source: query.source,
      name,
      ...(text === undefined ? {} : { text }),
      before: query.before,
      after: query.after,
      resultsBefore: (query.documents?.before ?? []).map(result),
      resultsAfter: (query.documents?.after ?? []).map(result),
    };
  };
  const change = ({ before, after }: EvaluatedQuery): number => after - before;
  const ordered = [...changed].sort((a, b) => change(a) - change(b));
  return {
    evaluation,
    worst: ordered.filter((query) => change(query) < 0).map(shown),
    best: ordered
      .filter((query) => change(query) > 0)
      .reverse()
      .map(shown),
    rows,
  };
};

const goldenName = (set: string, version: number, id: string): string => `${set}@${version}/${id}`;
