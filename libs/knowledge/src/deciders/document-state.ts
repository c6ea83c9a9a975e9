import { unreachable } from '../errors.ts';
import type { DocumentEvent, DocumentIndexed, Submission } from '../events/document-events.ts';
import type { DocumentHistoryRemoved } from '../events/history-events.ts';
import type { ChunkId, Digest } from '../values/ids.ts';
import type { ChunkListId } from '../values/recipe.ts';
import type { EmbeddingVersion } from '../values/versions.ts';

/** A chunk in this stream. `textAt`: revision with its text. `vectors`: revision of the vector of each embedding version. */
export type RecordedChunk = Readonly<{ textAt: number; vectors: ReadonlyMap<EmbeddingVersion, number> }>;

export type CurrentVersion = Readonly<{
  version: number;
  fingerprint: Digest;
  chunkIds: readonly ChunkId[];
  indexed: DocumentIndexed['data'];
}>;

export type Document = Readonly<{
  status: 'none' | 'pending' | 'processing' | 'indexed' | 'failed' | 'deleted';
  /** Latest submitted version; 0 before the first. */
  version: number;
  /** The submission that will be indexed, or was last attempted. */
  submission?: Submission;
  /** The latest indexed version, with the chunk list that was completed last. */
  current?: CurrentVersion;
  /** The indexed version of each chunk list. Searches see that of the list in their recipe. */
  lists: ReadonlyMap<ChunkListId, CurrentVersion>;
  /** Why the latest version failed. */
  failure?: Readonly<{ reason: string; detail: string }>;
  recorded: ReadonlyMap<ChunkId, RecordedChunk>;
  /** Vectors of chunks whose text comes later: its event was removed with old history, and repeated. */
  early: ReadonlyMap<ChunkId, RecordedChunk['vectors']>;
}>;

/** Before its first version. */
export const NO_DOCUMENT = (): Document => ({ status: 'none', version: 0, lists: new Map(), recorded: new Map(), early: new Map() });

const withVector = (state: Document, chunkId: ChunkId, version: EmbeddingVersion, at: number, textAt?: number): Document => {
  // Modified in place: `evolveDocument` owns these maps, and copying them for each chunk would take quadratic time.
  const [recorded, early] = [state.recorded as Map<ChunkId, RecordedChunk>, state.early as Map<ChunkId, RecordedChunk['vectors']>];
  const known = recorded.get(chunkId);
  const vectors = new Map([...(known?.vectors ?? early.get(chunkId) ?? []), [version, at] as const]);
  const text = textAt ?? known?.textAt;
  if (text === undefined) early.set(chunkId, vectors);
  else {
    recorded.set(chunkId, { textAt: text, vectors });
    early.delete(chunkId);
  }
  return state;
};

const without = <K extends keyof Document>(state: Document, ...keys: K[]): Omit<Document, K> => {
  const copy = { ...state };
  for (const key of keys) delete (copy as Partial<Document>)[key];
  return copy;
};

/** As if the stream began at `before`. */
const withoutHistory = (state: Document, { version, before }: DocumentHistoryRemoved['data']): Document => {
  const recorded = new Map<ChunkId, RecordedChunk>();
  for (const [id, { textAt, vectors }] of state.recorded)
    if (textAt >= before) recorded.set(id, { textAt, vectors: new Map([...vectors].filter(([, at]) => at >= before)) });
  return { ...state, recorded, lists: new Map([...state.lists].filter(([, list]) => list.version >= version)) };
};

/** `event` has this revision in the stream of the document. */
export const evolveDocument = (state: Document, event: DocumentEvent, revision: number): Document => {
  switch (event.type) {
    case 'DocumentSubmitted': {
      const { version, ...data } = event.data;
      return { ...without(state, 'failure'), status: 'pending', version, submission: data };
    }
    case 'DocumentProcessingStarted':
      return { ...without(state, 'failure'), status: 'processing' };
    case 'KnowledgeChunkIndexed':
      return withVector(state, event.data.chunkId, event.data.embeddingVersion, revision, revision);
    case 'KnowledgeChunkReembedded':
      return withVector(state, event.data.chunkId, event.data.embeddingVersion, revision);
    case 'DocumentIndexed': {
      const { version, fingerprint, chunkList, chunks } = event.data;
      const list = { version, fingerprint, chunkIds: chunks.map(({ chunkId }) => chunkId), indexed: event.data };
      const lists = new Map([...state.lists, [chunkList, list]]);
      // Another chunk list of an earlier version says nothing about the latest one.
      if (version < state.version) return { ...state, lists };
      return { ...state, status: 'indexed', version, current: list, lists };
    }
    case 'DocumentFailed':
      return { ...state, status: 'failed', failure: { reason: event.data.reason, detail: event.data.detail } };
    case 'DocumentDeferred':
      return { ...state, status: 'pending' };
    case 'DocumentDeleted':
      return { ...without(state, 'current', 'submission'), status: 'deleted', version: event.data.version, lists: new Map() };
    case 'DocumentHistoryRemoved':
      return withoutHistory(state, event.data);
    case 'DocumentSkipped':
    case 'KnowledgeChunkFailed':
    case 'KnowledgeChunkReembedFailed':
      return state;
    default:
      return unreachable(event);
  }
};
