import { createHash } from 'node:crypto';
import { chunkId, documentId, sha256 } from '@palimpsest/knowledge';
import type { ChunkId, ChunkingSettings, DocumentId, KnowledgeBaseId, Labels, Origin, Sha256, SourceId, TenantId } from '@palimpsest/knowledge';

const hash = (...parts: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** Raised when documents have to be cut anew although their settings are the same: a parser or a chunker changed. */
const PIPELINE = 2;

/** The same source of the same knowledge base is always the same document. */
export const documentIdOf = (tenant: TenantId, knowledgeBase: KnowledgeBaseId, source: SourceId): DocumentId =>
  documentId(hash('document', tenant, knowledgeBase, source).slice(0, 32));

export const checksumOf = (bytes: Uint8Array): Sha256 => sha256(createHash('sha256').update(bytes).digest('hex'));

/** Over everything that decides what a document's index entries would be. */
export const fingerprintOf = (parts: {
  checksum: Sha256; labels: Labels; origin: Origin; title: string | undefined; fileName: string | undefined; mediaType: string | undefined; chunking: ChunkingSettings;
}): Sha256 =>
  sha256(hash('fingerprint', PIPELINE, parts.checksum, parts.labels, parts.origin, parts.title ?? null, parts.fileName ?? null, parts.mediaType ?? null, parts.chunking));

export const contentHashOf = (contextPrefix: string, text: string): Sha256 => sha256(hash('content', contextPrefix, text));

/** `occurrence`: 0 for the first chunk of this content in the document, 1 for the second, … */
export const chunkIdOf = (document: DocumentId, contentHash: Sha256, occurrence: number): ChunkId =>
  chunkId(hash('chunk', document, contentHash, occurrence).slice(0, 32));
