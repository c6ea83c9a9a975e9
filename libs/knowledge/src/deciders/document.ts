import { Conflict, NotFound, unreachable } from '../errors.ts';
import type {
  ChunkPlace,
  DocumentEvent,
  DocumentIndexed,
  KnowledgeChunkIndexed,
  KnowledgeChunkReembedded,
  Submission,
} from '../events/document-events.ts';
import type { ParseFailure } from '../ports/document-parser.ts';
import type { ChunkId, DocumentId, Digest } from '../values/ids.ts';
import type { ChunkListId } from '../values/recipe.ts';
import type { ChunkingVersion, EmbeddingVersion } from '../values/versions.ts';
import type { Decider } from './decider.ts';

export type DocumentCommand =
  /**
   * `onlyIfVersion`: refuse if the latest version differs. `force`: process the document even if it is unchanged. `earlierFingerprint`:
   * the fingerprint that versions before 0.2 computed for the same content.
   */
  | Readonly<{
      type: 'Submit';
      documentId: DocumentId;
      submission: Submission;
      earlierFingerprint?: Digest;
      onlyIfVersion?: number;
      force?: boolean;
      now: string;
    }>
  | Readonly<{ type: 'StartProcessing'; documentId: DocumentId; version: number; now: string }>
  /** `whole`: as in `IndexingResult`. */
  | Readonly<{
      type: 'RecordChunks';
      documentId: DocumentId;
      version: number;
      chunkList: ChunkListId;
      whole?: true;
      chunks: readonly (KnowledgeChunkIndexed | KnowledgeChunkReembedded)[];
    }>
  | Readonly<{
      type: 'RecordChunkFailure';
      documentId: DocumentId;
      version: number;
      chunkList: ChunkListId;
      chunkId: ChunkId;
      index: number;
      embeddingVersion: EmbeddingVersion;
      reason: string;
    }>
  /** `others`: further chunk lists of the same version, which take effect at the same time. */
  | Readonly<{
      type: 'CompleteIndexing';
      documentId: DocumentId;
      version: number;
      result: IndexingResult;
      others?: readonly IndexingResult[];
      now: string;
    }>
  | Readonly<{ type: 'Fail'; documentId: DocumentId; version: number; reason: string; detail: string; now: string }>
  | Readonly<{ type: 'Defer'; documentId: DocumentId; version: number; reason: string; detail: string; now: string }>
  /** Contents of an imported version. They take effect with its `Import`. */
  | Readonly<{
      type: 'RecordContents';
      documentId: DocumentId;
      version: number;
      chunks: readonly (KnowledgeChunkIndexed | KnowledgeChunkReembedded)[];
    }>
  /** Submits and commits a version in one step. Its contents must be recorded already. */
  | Readonly<{ type: 'Import'; documentId: DocumentId; version: number; submission: Submission; result: IndexingResult; now: string }>
  | Readonly<{ type: 'RecordReembedding'; documentId: DocumentId; events: readonly ReembeddingEvent[] }>
  | Readonly<{ type: 'Delete'; documentId: DocumentId; onlyIfVersion?: number; now: string }>;

type ReembeddingEvent = Extract<DocumentEvent, { type: 'KnowledgeChunkReembedded' | 'KnowledgeChunkReembedFailed' }>;

/**
 * `whole`: read models write all chunks of the list. They may lack the earlier ones: the list was recorded while no generation had it.
 * `notRechunked`: why the list has the chunks of another one.
 */
export type IndexingResult = Readonly<{
  chunkList: ChunkListId;
  whole?: true;
  notRechunked?: string;
  title: string;
  mediaType: string;
  language: string;
  chunkingVersion: ChunkingVersion;
  metadata: Readonly<Record<string, string>>;
  chunks: readonly (ChunkPlace & Readonly<{ chunkId: ChunkId }>)[];
  failedChunks: number;
  warnings: readonly string[];
}>;

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
}>;

const isInProgress = (state: Document): boolean => state.status === 'pending' || state.status === 'processing';

const isVersionInProgress = (state: Document, version: number): boolean => isInProgress(state) && state.version === version;

/** The version as another chunk list has it. Searches may still see it while a later version is in progress, or after that has failed. */
const indexedAs = (state: Document, version: number): CurrentVersion | undefined =>
  [...state.lists.values()].find((list) => list.version === version);

/**
 * Whether this list of the version is still expected. A list that another generation needs is made after the version was indexed, and may
 * be made again (`whole`).
 */
const isListOpen = (state: Document, version: number, list: ChunkListId, whole = false): boolean =>
  isVersionInProgress(state, version) ||
  (indexedAs(state, version) !== undefined && (whole ? isNotBehind : isBehind)(state.lists.get(list)?.version ?? 0, version));

const isBehind = (known: number, version: number): boolean => known < version;
const isNotBehind = (known: number, version: number): boolean => known <= version;

/** Failures of processing, not of the document. Retrying the dead letter may succeed. */
const PROCESSING_FAILURES: ReadonlySet<string> = new Set(['gave-up', 'not-processable', 'quota-exceeded']);

/** Whether this version still has to be processed. */
export const awaitsWork = (state: Document, version: number): boolean =>
  state.version === version && (isInProgress(state) || (state.status === 'failed' && PROCESSING_FAILURES.has(state.failure?.reason ?? '')));

const checkVersion = (state: Document, onlyIfVersion: number | undefined): void => {
  if (onlyIfVersion !== undefined && onlyIfVersion !== state.version)
    throw new Conflict(`the document is at version ${state.version}, not ${onlyIfVersion}: it was changed by another request`);
};

/** Failures that the same bytes always cause. All others may succeed on the next attempt. */
const PERMANENT_FAILURES: ReadonlySet<string> = new Set<ParseFailure>(['password', 'corrupt', 'too-large', 'empty', 'unsupported']);

/** Processing would change nothing: the same content is already indexed, or has already failed permanently. */
const isUnchanged = (state: Document, isSame: (fingerprint: Digest | undefined) => boolean): boolean =>
  (state.status === 'indexed' && isSame(state.current?.fingerprint)) ||
  (state.status === 'failed' && isSame(state.submission?.fingerprint) && PERMANENT_FAILURES.has(state.failure?.reason ?? ''));

const submit = (command: Extract<DocumentCommand, { type: 'Submit' }>, state: Document): DocumentEvent[] => {
  const { documentId, submission, earlierFingerprint, now } = command;
  checkVersion(state, command.onlyIfVersion);
  const { checksum, fingerprint } = submission;
  const isSame = (known: Digest | undefined): boolean => known !== undefined && (known === fingerprint || known === earlierFingerprint);
  if (!command.force && isInProgress(state) && isSame(state.submission?.fingerprint)) return [];
  if (!command.force && isUnchanged(state, isSame))
    return [{ type: 'DocumentSkipped', data: { documentId, version: state.version, checksum, reason: 'unchanged', skippedAt: now } }];
  return [{ type: 'DocumentSubmitted', data: { ...submission, documentId, version: state.version + 1, submittedAt: now } }];
};

/** The attributes of a document that are copied to each chunk, for use in filters. */
const chunkAttributes = (
  { title, mediaType, language, metadata }: Pick<IndexingResult, 'title' | 'mediaType' | 'language' | 'metadata'>,
  { labels, origin }: Pick<Submission, 'labels' | 'origin'>,
): string => JSON.stringify([title, mediaType, language, Object.entries(metadata).sort(), Object.entries(labels).sort(), origin]);

/** New chunks only, or all chunks if the copied attributes changed. */
const writtenChunks = (
  before: CurrentVersion | undefined,
  submission: Pick<Submission, 'labels' | 'origin'>,
  result: IndexingResult,
): ChunkId[] => {
  const ids = result.chunks.map(({ chunkId }) => chunkId);
  if (before === undefined || chunkAttributes(before.indexed, before.indexed) !== chunkAttributes(result, submission)) return ids;
  const kept = new Set(before.chunkIds);
  return ids.filter((id) => !kept.has(id));
};

type Completed = Omit<Extract<DocumentCommand, { type: 'CompleteIndexing' }>, 'others'>;

const completeList = ({ documentId, version, result: listed, now }: Completed, state: Document): DocumentEvent[] => {
  const { whole = false, ...result } = listed;
  // A version whose other list is indexed has the attributes of that list: the latest submission may be a later one.
  const submission = isVersionInProgress(state, version) ? state.submission : indexedAs(state, version)?.indexed;
  const before = state.lists.get(result.chunkList);
  if (!isListOpen(state, version, result.chunkList, whole) || submission === undefined) return [];
  const missing = result.chunks.find(({ chunkId }) => !state.recorded.has(chunkId));
  if (missing) throw new Conflict(`chunk ${missing.chunkId} is not on the log`);
  const { knowledgeBase, sourceId, checksum, fingerprint, labels, origin } = submission;
  const retained = new Set(result.chunks.map(({ chunkId }) => chunkId));
  return [
    {
      type: 'DocumentIndexed',
      data: {
        documentId,
        version,
        knowledgeBase,
        sourceId,
        checksum,
        fingerprint,
        labels,
        origin,
        ...result,
        written: whole ? result.chunks.map(({ chunkId }) => chunkId) : writtenChunks(before, submission, result),
        removed: (before?.chunkIds ?? []).filter((id) => !retained.has(id)),
        indexedAt: now,
      },
    },
  ];
};

const complete = ({ others = [], ...command }: Extract<DocumentCommand, { type: 'CompleteIndexing' }>, state: Document): DocumentEvent[] =>
  [command.result, ...others].flatMap((result) => completeList({ ...command, result }, state));

/** Leaves out vectors that are already on the log. */
const unrecorded = (chunks: readonly (KnowledgeChunkIndexed | KnowledgeChunkReembedded)[], state: Document): readonly DocumentEvent[] =>
  chunks.filter(({ data }) => !state.recorded.get(data.chunkId)?.vectors.has(data.embeddingVersion));

/** One append, so that no worker finds the version pending and processes it. */
const importVersion = (command: Extract<DocumentCommand, { type: 'Import' }>, state: Document): DocumentEvent[] => {
  const { documentId, version, submission, result, now } = command;
  checkVersion(state, version - 1);
  const submitted: DocumentEvent = { type: 'DocumentSubmitted', data: { ...submission, documentId, version, submittedAt: now } };
  const pending: Document = { ...state, status: 'pending', version, submission };
  return [submitted, ...complete({ type: 'CompleteIndexing', documentId, version, result, now }, pending)];
};

const remove = (command: Extract<DocumentCommand, { type: 'Delete' }>, state: Document): DocumentEvent[] => {
  const { documentId, now } = command;
  if (state.status === 'none') throw new NotFound('document', documentId);
  if (state.status === 'deleted') return [];
  checkVersion(state, command.onlyIfVersion);
  return [
    {
      type: 'DocumentDeleted',
      data: {
        documentId,
        version: state.version,
        chunks: [...new Set([...state.lists.values()].flatMap(({ chunkIds }) => chunkIds))],
        deletedAt: now,
      },
    },
  ];
};

const decide = (command: DocumentCommand, state: Document): readonly DocumentEvent[] => {
  const { documentId } = command;
  switch (command.type) {
    case 'Submit':
      return submit(command, state);
    case 'StartProcessing':
      return state.status !== 'processing' && awaitsWork(state, command.version)
        ? [{ type: 'DocumentProcessingStarted', data: { documentId, version: command.version, startedAt: command.now } }]
        : [];
    case 'RecordChunks':
      // Ignores chunks of a superseded version, and chunks that another worker recorded in the meantime.
      return isListOpen(state, command.version, command.chunkList, command.whole) ? unrecorded(command.chunks, state) : [];
    case 'RecordChunkFailure': {
      const { version, chunkId, index, embeddingVersion, reason } = command;
      if (!isListOpen(state, version, command.chunkList)) return [];
      return [{ type: 'KnowledgeChunkFailed', data: { documentId, version, chunkId, index, embeddingVersion, reason } }];
    }
    case 'CompleteIndexing':
      return complete(command, state);
    case 'Fail':
      return isVersionInProgress(state, command.version)
        ? [
            {
              type: 'DocumentFailed',
              data: { documentId, version: command.version, reason: command.reason, detail: command.detail, failedAt: command.now },
            },
          ]
        : [];
    case 'Defer':
      return isVersionInProgress(state, command.version)
        ? [
            {
              type: 'DocumentDeferred',
              data: { documentId, version: command.version, reason: command.reason, detail: command.detail, deferredAt: command.now },
            },
          ]
        : [];
    case 'RecordContents':
      checkVersion(state, command.version - 1);
      return unrecorded(command.chunks, state);
    case 'Import':
      return importVersion(command, state);
    case 'RecordReembedding':
      return command.events.filter(
        ({ data }) => state.recorded.has(data.chunkId) && !state.recorded.get(data.chunkId)?.vectors.has(data.embeddingVersion),
      );
    case 'Delete':
      return remove(command, state);
    default:
      return unreachable(command);
  }
};

const withVector = (state: Document, chunkId: ChunkId, version: EmbeddingVersion, at: number, textAt?: number): Document => {
  const known = state.recorded.get(chunkId);
  const text = textAt ?? known?.textAt;
  if (text === undefined) return state;
  // Modified in place: `evolve` owns these maps, and copying them for each chunk would take quadratic time.
  const recorded = state.recorded as Map<ChunkId, RecordedChunk>;
  recorded.set(chunkId, { textAt: text, vectors: new Map([...(known?.vectors ?? []), [version, at]]) });
  return state;
};

const without = <K extends keyof Document>(state: Document, ...keys: K[]): Omit<Document, K> => {
  const copy = { ...state };
  for (const key of keys) delete (copy as Partial<Document>)[key];
  return copy;
};

const evolve = (state: Document, event: DocumentEvent, revision: number): Document => {
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
      return { ...without(state, 'current', 'submission'), status: 'deleted', lists: new Map() };
    case 'DocumentSkipped':
    case 'KnowledgeChunkFailed':
    case 'KnowledgeChunkReembedFailed':
      return state;
    default:
      return unreachable(event);
  }
};

/** One document: its versions, its recorded chunks, and the version that searches see. */
export const document: Decider<DocumentCommand, Document, DocumentEvent> = {
  initial: () => ({ status: 'none', version: 0, lists: new Map(), recorded: new Map() }),
  decide,
  evolve,
};
