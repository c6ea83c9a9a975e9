import type {
  DocumentDeleted,
  DocumentFailed,
  DocumentIndexed,
  DocumentProcessingStarted,
  DocumentSkipped,
  DocumentSubmitted,
  KnowledgeChunkIndexed,
  KnowledgeChunkReembedded,
  Submission,
} from '../src/events/document-events.ts';
import type { IndexingResult } from '../src/deciders/document.ts';
import { blobKey } from '../src/ports/blob-store.ts';
import { chunkId, documentId, knowledgeBaseId, sha256, sourceId, type ChunkId, type Digest } from '../src/values/ids.ts';
import { DEFAULT_CHUNK_LIST, recipeWith, type Recipe } from '../src/values/recipe.ts';
import { chunkingVersion, embeddingVersion, type EmbeddingVersion } from '../src/values/versions.ts';

// Each builder takes the relevant values and uses defaults for the rest.

export const NOW = '2026-01-01T00:00:00Z';
export const ID = documentId('d'.repeat(32));
export const MINI = embeddingVersion('onnx:mini/384');
export const LARGE = embeddingVersion('onnx:large/1024');

export const aRecipe = (version: EmbeddingVersion): Recipe => recipeWith({ version });

export const aChunkId = (letter: string): ChunkId => chunkId(letter.charCodeAt(0).toString(16).padStart(32, '0'));
export const aFingerprint = (of: string): Digest => sha256(Buffer.from(of).toString('hex').padStart(64, '0'));

/** `of` represents the content: equal values have equal fingerprints. */
export const aSubmission = (of: string, part: Partial<Submission> = {}): Submission => ({
  knowledgeBase: knowledgeBaseId('handbook'),
  sourceId: sourceId('guide.md'),
  blob: blobKey('documents/guide'),
  bytes: 10,
  checksum: aFingerprint(of),
  fingerprint: aFingerprint(of),
  labels: {},
  origin: 'UserContent',
  ...part,
});

export const submitted = (of: string, version = 1, part: Partial<Submission> = {}): DocumentSubmitted => ({
  type: 'DocumentSubmitted',
  data: { ...aSubmission(of, part), documentId: ID, version, submittedAt: NOW },
});
export const started = (version = 1): DocumentProcessingStarted => ({
  type: 'DocumentProcessingStarted',
  data: { documentId: ID, version, startedAt: NOW },
});

export const chunk = (letter: string, version = 1, embedding: EmbeddingVersion = MINI): KnowledgeChunkIndexed => ({
  type: 'KnowledgeChunkIndexed',
  data: {
    documentId: ID,
    version,
    chunkId: aChunkId(letter),
    index: 0,
    of: 1,
    start: 0,
    end: 1,
    fromLine: 1,
    toLine: 1,
    contentHash: aFingerprint(letter),
    sealedText: 'AA==',
    sealedVector: 'AA==',
    embeddingVersion: embedding,
    chunkingVersion: chunkingVersion('markdown@1'),
    language: 'en',
    origin: 'UserContent',
    tokens: 1,
    truncated: false,
  },
});

export const reembedded = (letter: string, embedding: EmbeddingVersion = LARGE, madeFrom = 0): KnowledgeChunkReembedded => ({
  type: 'KnowledgeChunkReembedded',
  data: {
    documentId: ID,
    chunkId: aChunkId(letter),
    embeddingVersion: embedding,
    sealedVector: 'AA==',
    madeFrom,
    tokens: 1,
    truncated: false,
  },
});

export const aResult = (letters: string, part: Partial<IndexingResult> = {}): IndexingResult => ({
  chunkList: DEFAULT_CHUNK_LIST,
  title: 'Guide',
  mediaType: 'text/markdown',
  language: 'en',
  chunkingVersion: chunkingVersion('markdown@1'),
  metadata: {},
  chunks: [...letters].map((letter, i) => ({ chunkId: aChunkId(letter), start: i, end: i + 1, fromLine: 1, toLine: 1 })),
  failedChunks: 0,
  warnings: [],
  ...part,
});

/** Chunks by letter: all, written and removed ones. */
export const indexed = (
  of: string,
  version: number,
  letters: Readonly<{ chunks: string; written: string; removed?: string }>,
  part: Partial<IndexingResult> = {},
  submission: Partial<Submission> = {},
): DocumentIndexed => {
  const { knowledgeBase, sourceId: source, checksum, fingerprint, labels, origin } = aSubmission(of, submission);
  return {
    type: 'DocumentIndexed',
    data: {
      documentId: ID,
      version,
      knowledgeBase,
      sourceId: source,
      checksum,
      fingerprint,
      labels,
      origin,
      ...aResult(letters.chunks, part),
      written: [...letters.written].map(aChunkId),
      removed: [...(letters.removed ?? '')].map(aChunkId),
      indexedAt: NOW,
    },
  };
};

export const skipped = (of: string, version: number): DocumentSkipped => ({
  type: 'DocumentSkipped',
  data: { documentId: ID, version, checksum: aFingerprint(of), reason: 'unchanged', skippedAt: NOW },
});
export const failed = (version: number, reason = 'gave-up'): DocumentFailed => ({
  type: 'DocumentFailed',
  data: { documentId: ID, version, reason, detail: 'It cannot be read.', failedAt: NOW },
});
export const deleted = (version: number, letters: string): DocumentDeleted => ({
  type: 'DocumentDeleted',
  data: { documentId: ID, version, chunks: [...letters].map(aChunkId), deletedAt: NOW },
});
