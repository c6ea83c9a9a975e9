import type { Journal } from '@palimpsest/contracts';
import { documentStream } from '@palimpsest/knowledge/deciders';
import {
  documentId,
  type DocumentId,
  type KnowledgeBaseId,
  type Position,
  type TenantId,
  type TenantScope,
} from '@palimpsest/knowledge/values';

/** The documents of a scope, or of one of its knowledge bases. */
export type HistoryOf = TenantScope & Readonly<{ knowledgeBase?: KnowledgeBaseId }>;

/** A version that is indexed replaces the one before, which is found until then. */
const TYPES = ['DocumentSubmitted', 'DocumentIndexed', 'DocumentDeleted'] as const;

/** The documents that were changed or deleted between two positions, each once, in no particular order. */
export async function* oldDocuments(
  { log }: Pick<Journal, 'log'>,
  { tenant, scope, knowledgeBase }: HistoryOf,
  { from, upTo, signal }: Readonly<{ from: Position; upTo: Position; signal: AbortSignal }>,
): AsyncGenerator<DocumentId> {
  const seen = new Set<string>();
  for await (const { type, data, metadata } of log.readAll({ from, upTo, types: TYPES })) {
    signal.throwIfAborted();
    const id = String(data['documentId']);
    if (metadata['tenant'] !== tenant || metadata['scope'] !== scope || seen.has(id)) continue;
    // The first version of a document replaces nothing.
    if (type !== 'DocumentDeleted' && data['version'] === 1) continue;
    seen.add(id);
    if (knowledgeBase === undefined || (await baseOf(log, tenant, documentId(id))) === knowledgeBase) yield documentId(id);
  }
}

/** The knowledge base of a document. Undefined if nothing is left of it but its deletion. */
const baseOf = async (log: Journal['log'], tenant: TenantId, id: DocumentId): Promise<string | undefined> => {
  for await (const { type, data } of log.readStream(documentStream(tenant, id), { limit: 1 }))
    if (type === 'DocumentSubmitted') return String(data['knowledgeBase']);
  return undefined;
};
