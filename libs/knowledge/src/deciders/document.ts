import { Conflict, NotFound, unreachable } from '../errors.ts';
import type { ChunkPlace, DocumentEvent, DocumentIndexed, KnowledgeChunkIndexed, KnowledgeChunkReembedded, Submission } from '../events/document-events.ts';
import type { ParseFailure } from '../ports/document-parser.ts';
import type { ChunkId, DocumentId, Sha256 } from '../values/ids.ts';
import type { ChunkingVersion, EmbeddingVersion } from '../values/versions.ts';
import type { Decider } from './decider.ts';

export type DocumentCommand =
  /** `onlyIfVersion`: refuse when the latest version is another. `force`: do the work again although nothing changed. */
  | Readonly<{ type: 'Submit'; documentId: DocumentId; submission: Submission; onlyIfVersion?: number; force?: boolean; now: string }>
  | Readonly<{ type: 'StartProcessing'; documentId: DocumentId; version: number; now: string }>
  | Readonly<{ type: 'RecordChunks'; documentId: DocumentId; version: number; chunks: readonly (KnowledgeChunkIndexed | KnowledgeChunkReembedded)[] }>
  | Readonly<{ type: 'RecordChunkFailure'; documentId: DocumentId; version: number; chunkId: ChunkId; index: number; embeddingVersion: EmbeddingVersion; reason: string }>
  | Readonly<{ type: 'CompleteIndexing'; documentId: DocumentId; version: number; result: IndexingResult; now: string }>
  | Readonly<{ type: 'Fail'; documentId: DocumentId; version: number; reason: string; detail: string; now: string }>
  | Readonly<{ type: 'Defer'; documentId: DocumentId; version: number; reason: string; detail: string; now: string }>
  /** Contents of a version to come, made elsewhere: they count from its `Import` on. */
  | Readonly<{ type: 'RecordContents'; documentId: DocumentId; version: number; chunks: readonly (KnowledgeChunkIndexed | KnowledgeChunkReembedded)[] }>
  /** Submits and commits a version at once, whose contents are recorded. */
  | Readonly<{ type: 'Import'; documentId: DocumentId; version: number; submission: Submission; result: IndexingResult; now: string }>
  | Readonly<{ type: 'RecordReembedding'; documentId: DocumentId; events: readonly ReembeddingEvent[] }>
  | Readonly<{ type: 'Delete'; documentId: DocumentId; onlyIfVersion?: number; now: string }>;

type ReembeddingEvent = Extract<DocumentEvent, { type: 'KnowledgeChunkReembedded' | 'KnowledgeChunkReembedFailed' }>;

export type IndexingResult = Readonly<{
  title: string;
  mediaType: string;
  language: string;
  chunkingVersion: ChunkingVersion;
  metadata: Readonly<Record<string, string>>;
  chunks: readonly (ChunkPlace & Readonly<{ chunkId: ChunkId }>)[];
  failedChunks: number;
  warnings: readonly string[];
}>;

/** A chunk whose content lies on this stream: `textAt` is the revision with its text, `vectors` where each version's vector is. */
export type RecordedChunk = Readonly<{ textAt: number; vectors: ReadonlyMap<EmbeddingVersion, number> }>;

export type CurrentVersion = Readonly<{ version: number; fingerprint: Sha256; chunkIds: readonly ChunkId[]; indexed: DocumentIndexed['data'] }>;

export type Document = Readonly<{
  status: 'none' | 'pending' | 'processing' | 'indexed' | 'failed' | 'deleted';
  /** Latest submitted, 0 before the first. */
  version: number;
  /** The submission that is to be indexed, or was last tried. */
  submission?: Submission;
  /** What searches see. */
  current?: CurrentVersion;
  /** Why the latest version failed, as long as it is the latest. */
  failure?: Readonly<{ reason: string; detail: string }>;
  recorded: ReadonlyMap<ChunkId, RecordedChunk>;
}>;

const inWork = (state: Document): boolean => state.status === 'pending' || state.status === 'processing';

const isWorkedOn = (state: Document, version: number): boolean => inWork(state) && state.version === version;

/** Failures of the work rather than of the document: a dead letter that is put back may do better. */
const GIVEN_UP: ReadonlySet<string> = new Set(['gave-up', 'not-processable', 'quota-exceeded']);

/** Whether work on this version would change anything. */
export const awaitsWork = (state: Document, version: number): boolean =>
  state.version === version && (inWork(state) || (state.status === 'failed' && GIVEN_UP.has(state.failure?.reason ?? '')));

const checkVersion = (state: Document, onlyIfVersion: number | undefined): void => {
  if (onlyIfVersion !== undefined && onlyIfVersion !== state.version)
    throw new Conflict(`the document is at version ${state.version}, not ${onlyIfVersion}: somebody else changed it`);
};

/** The same bytes would fail in the same way; what else may go wrong may go right the next time. */
const LASTING_FAILURES: ReadonlySet<string> = new Set<ParseFailure>(['password', 'corrupt', 'too-large', 'empty', 'unsupported']);

/** Nothing would come of it that is not there already: neither of what is indexed nor of what cannot be read. */
const isUnchanged = (state: Document, fingerprint: Sha256): boolean =>
  (state.status === 'indexed' && state.current?.fingerprint === fingerprint) ||
  (state.status === 'failed' && state.submission?.fingerprint === fingerprint && LASTING_FAILURES.has(state.failure?.reason ?? ''));

const submit = (command: Extract<DocumentCommand, { type: 'Submit' }>, state: Document): DocumentEvent[] => {
  const { documentId, submission, now } = command;
  checkVersion(state, command.onlyIfVersion);
  const { checksum, fingerprint } = submission;
  if (!command.force && inWork(state) && state.submission?.fingerprint === fingerprint) return [];
  if (!command.force && isUnchanged(state, fingerprint))
    return [{ type: 'DocumentSkipped', data: { documentId, version: state.version, checksum, reason: 'unchanged', skippedAt: now } }];
  return [{ type: 'DocumentSubmitted', data: { ...submission, documentId, version: state.version + 1, submittedAt: now } }];
};

/** What is copied onto each chunk of a document, for searches to filter by. */
const onEachChunk = ({ title, mediaType, language, metadata }: IndexingResult, { labels, origin }: Pick<Submission, 'labels' | 'origin'>): string =>
  JSON.stringify([title, mediaType, language, Object.entries(metadata).sort(), Object.entries(labels).sort(), origin]);

/** What is new, or everything when what is copied onto each chunk changed. */
const writtenChunks = (before: CurrentVersion | undefined, submission: Submission, result: IndexingResult): ChunkId[] => {
  const ids = result.chunks.map(({ chunkId }) => chunkId);
  if (before === undefined || onEachChunk(before.indexed, before.indexed) !== onEachChunk(result, submission)) return ids;
  const kept = new Set(before.chunkIds);
  return ids.filter((id) => !kept.has(id));
};

const complete = (command: Extract<DocumentCommand, { type: 'CompleteIndexing' }>, state: Document): DocumentEvent[] => {
  const { documentId, version, result, now } = command;
  const { submission, current } = state;
  if (!isWorkedOn(state, version) || submission === undefined) return [];
  const lacking = result.chunks.find(({ chunkId }) => !state.recorded.has(chunkId));
  if (lacking) throw new Conflict(`chunk ${lacking.chunkId} is not on the log`);
  const { knowledgeBase, sourceId, checksum, fingerprint, labels, origin } = submission;
  const stays = new Set(result.chunks.map(({ chunkId }) => chunkId));
  return [
    {
      type: 'DocumentIndexed',
      data: {
        documentId, version, knowledgeBase, sourceId, checksum, fingerprint, labels, origin, ...result,
        written: writtenChunks(current, submission, result),
        removed: (current?.chunkIds ?? []).filter((id) => !stays.has(id)),
        indexedAt: now,
      },
    },
  ];
};

/** Vectors that are on the log already are not put there again. */
const unrecorded = (chunks: readonly (KnowledgeChunkIndexed | KnowledgeChunkReembedded)[], state: Document): readonly DocumentEvent[] =>
  chunks.filter(({ data }) => !state.recorded.get(data.chunkId)?.vectors.has(data.embeddingVersion));

/** One append, so that nobody finds the version waiting, and works on it. */
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
  return [{ type: 'DocumentDeleted', data: { documentId, version: state.version, chunks: state.current?.chunkIds ?? [], deletedAt: now } }];
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
      // A superseded version's chunks are of no use any more, nor what another worker on this version recorded in between.
      return isWorkedOn(state, command.version) ? unrecorded(command.chunks, state) : [];
    case 'RecordChunkFailure': {
      const { version, chunkId, index, embeddingVersion, reason } = command;
      if (!isWorkedOn(state, version)) return [];
      return [{ type: 'KnowledgeChunkFailed', data: { documentId, version, chunkId, index, embeddingVersion, reason } }];
    }
    case 'CompleteIndexing':
      return complete(command, state);
    case 'Fail':
      return isWorkedOn(state, command.version)
        ? [{ type: 'DocumentFailed', data: { documentId, version: command.version, reason: command.reason, detail: command.detail, failedAt: command.now } }]
        : [];
    case 'Defer':
      return isWorkedOn(state, command.version)
        ? [{ type: 'DocumentDeferred', data: { documentId, version: command.version, reason: command.reason, detail: command.detail, deferredAt: command.now } }]
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
  // In place: `evolve` owns the maps it made, and copying them for each chunk would be quadratic.
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
      const { version, fingerprint, chunks } = event.data;
      return { ...state, status: 'indexed', version: Math.max(version, state.version), current: { version, fingerprint, chunkIds: chunks.map(({ chunkId }) => chunkId), indexed: event.data } };
    }
    case 'DocumentFailed':
      return { ...state, status: 'failed', failure: { reason: event.data.reason, detail: event.data.detail } };
    case 'DocumentDeferred':
      return { ...state, status: 'pending' };
    case 'DocumentDeleted':
      return { ...without(state, 'current', 'submission'), status: 'deleted' };
    case 'DocumentSkipped':
    case 'KnowledgeChunkFailed':
    case 'KnowledgeChunkReembedFailed':
      return state;
    default:
      return unreachable(event);
  }
};

/** One source and its versions: what was submitted, what is on the log of it, what searches see. */
export const document: Decider<DocumentCommand, Document, DocumentEvent> = {
  initial: () => ({ status: 'none', version: 0, recorded: new Map() }),
  decide,
  evolve,
};
