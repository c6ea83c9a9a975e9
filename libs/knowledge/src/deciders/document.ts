import { satisfies, type RequiredLabels } from '../access/required-labels.ts';
import { Conflict, Forbidden, NotFound, unreachable } from '../errors.ts';
import type { ChunkPlace, DocumentEvent, KnowledgeChunkIndexed, KnowledgeChunkReembedded, Submission } from '../events/document-events.ts';
import type { DocumentHistoryRemoved } from '../events/history-events.ts';
import type { ParseFailure } from '../ports/document-parser.ts';
import type { ChunkId, DocumentId, Digest } from '../values/ids.ts';
import type { ChunkListId } from '../values/recipe.ts';
import type { ChunkingVersion, EmbeddingVersion } from '../values/versions.ts';
import type { Decider } from './decider.ts';
import { evolveDocument, NO_DOCUMENT, type CurrentVersion, type Document } from './document-state.ts';

export type DocumentCommand =
  /**
   * `onlyIfVersion`: refuse if the latest version differs. `force`: process the document even if it is unchanged. `earlierFingerprint`:
   * the fingerprint that versions before 0.2 computed for the same content. `required`: labels that the document must have already.
   */
  | Readonly<{
      type: 'Submit';
      documentId: DocumentId;
      submission: Submission;
      earlierFingerprint?: Digest;
      onlyIfVersion?: number;
      required?: RequiredLabels;
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
  | Readonly<{ type: 'Delete'; documentId: DocumentId; onlyIfVersion?: number; required?: RequiredLabels; now: string }>
  /** Repeats events whose chunks are in versions that stay, before the history that they belong to is removed. */
  | Readonly<{ type: 'KeepContents'; documentId: DocumentId; events: readonly KeptEvent[] }>
  /** Everything before a revision is to be removed from the log. What later versions need of it must have been kept. */
  | Readonly<{
      type: 'RemoveHistory';
      documentId: DocumentId;
      removal: Omit<DocumentHistoryRemoved['data'], 'documentId' | 'removedAt'>;
      now: string;
    }>;

/** With `keptFrom`. */
export type KeptEvent = Extract<
  DocumentEvent,
  { type: 'KnowledgeChunkIndexed' | 'KnowledgeChunkReembedded' | 'KnowledgeChunkReembedFailed' }
>;

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

/** Of the latest version, which callers see in lists. A deleted document has none. */
const hasLabels = ({ submission, current }: Document, required: RequiredLabels | undefined): boolean => {
  const latest = submission ?? current?.indexed;
  return latest === undefined || satisfies(latest.labels, required);
};

/** Failures that the same bytes always cause. All others may succeed on the next attempt. */
const PERMANENT_FAILURES: ReadonlySet<string> = new Set<ParseFailure>(['password', 'corrupt', 'too-large', 'empty', 'unsupported']);

/** Processing would change nothing: the same content is already indexed, or has already failed permanently. */
const isUnchanged = (state: Document, isSame: (fingerprint: Digest | undefined) => boolean): boolean =>
  (state.status === 'indexed' && isSame(state.current?.fingerprint)) ||
  (state.status === 'failed' && isSame(state.submission?.fingerprint) && PERMANENT_FAILURES.has(state.failure?.reason ?? ''));

const submit = (command: Extract<DocumentCommand, { type: 'Submit' }>, state: Document): DocumentEvent[] => {
  const { documentId, submission, earlierFingerprint, now } = command;
  if (!hasLabels(state, command.required))
    throw new Forbidden('sourceId: a document with this source exists, without the labels that the API key requires');
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
        ...(version < state.version ? { latestVersion: state.version } : {}),
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
  if (state.status === 'none' || !hasLabels(state, command.required)) throw new NotFound('document', documentId);
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

/** A version that is being processed may use any chunk that is on the log, and a worker has looked for it already. */
const removeHistory = (command: Extract<DocumentCommand, { type: 'RemoveHistory' }>, state: Document): DocumentEvent[] => {
  const { documentId, removal, now } = command;
  if (isInProgress(state)) throw new Conflict(`version ${state.version} of the document is being processed`);
  const needed = [...state.lists.values()].filter(({ version }) => version >= removal.version).flatMap(({ chunkIds }) => chunkIds);
  const lost = needed.find((id) => (state.recorded.get(id)?.textAt ?? 0) < removal.before);
  if (lost !== undefined) throw new Conflict(`the document was changed: chunk ${lost} was not kept`);
  return [{ type: 'DocumentHistoryRemoved', data: { documentId, ...removal, removedAt: now } }];
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
    case 'KeepContents':
      return command.events.filter(({ data }) => state.recorded.has(data.chunkId));
    case 'RemoveHistory':
      return removeHistory(command, state);
    default:
      return unreachable(command);
  }
};

/** One document: its versions, its recorded chunks, and the version that searches see. */
export const document: Decider<DocumentCommand, Document, DocumentEvent> = {
  initial: NO_DOCUMENT,
  decide,
  evolve: evolveDocument,
};
