import { chunkingSettings, MAX_CHUNKS, openBlob } from '@palimpsest/contracts';
import { Corrupt, EmbeddingModelMismatch } from '@palimpsest/knowledge/errors';
import { isGone } from '@palimpsest/knowledge/deciders';
import type { IndexingResult } from '@palimpsest/knowledge/deciders';
import type { Submission } from '@palimpsest/knowledge/events';
import type { ParsedDocument, ParseOutcome } from '@palimpsest/knowledge/ports';
import type { ChunkListId } from '@palimpsest/knowledge/values';
import { chunkerFor } from '../chunking/chunker-for.ts';
import type { Chunker } from '../chunking/chunk-draft.ts';
import { chunkDocument, type IdentifiedChunk } from './chunk-document.ts';
import type { ProcessingPorts, Work } from './document-work.ts';
import type { RecordChunks } from './record-chunks.ts';

/** Maximum number of windows of the model that a chunk may span in a document that would otherwise have too many chunks. */
const MAX_WINDOWS = 8;

export type Chunked = Readonly<{ chunker: Chunker; chunks: readonly IdentifiedChunk[] }>;
/** A list, and the tokens that were embedded for it now; or why it cannot be made. */
export type MadeList = Readonly<{ result: IndexingResult; tokens: number }> | Readonly<{ reason: string }>;

/** Makes one chunk list of a parsed document: chunks it, and records the chunks with their vectors. The caller commits the list. */
export class MakeList {
  readonly #ports: Pick<ProcessingPorts, 'providers' | 'system'>;
  readonly #recording: RecordChunks;

  constructor(ports: Pick<ProcessingPorts, 'providers' | 'system'>, recording: RecordChunks) {
    this.#ports = ports;
    this.#recording = recording;
  }

  /** Chunks for the first model of the list. If another generation's model has a smaller window, it makes several vectors per chunk. */
  async chunk(work: Work, parsed: ParsedDocument): Promise<Chunked> {
    const { scope, knowledgeBase, versions } = work;
    const { active, chunking } = versions;
    const { providers, system } = this.#ports;
    const provider = providers.of(active, scope.tenant);
    if (!provider) throw new EmbeddingModelMismatch(active, providers.versions());
    const ofKnowledgeBase = isGone(knowledgeBase) ? chunkingSettings() : knowledgeBase.settings.chunking;
    const settings = chunking.settings === 'knowledge-base' ? ofKnowledgeBase : chunking.settings;
    const window = await provider.window();
    for (let windows = 1; ; windows *= 2) {
      const chunker = chunkerFor(parsed, settings, window, windows);
      const chunks = await chunkDocument(work.command.documentId, parsed, chunker, work.cipher, system);
      // Chunks with several vectors are better than a document that fails. A size that the owner chose does not change.
      if (chunks.length <= MAX_CHUNKS || windows === MAX_WINDOWS) return { chunker, chunks };
    }
  }

  /** Undefined if the model refused every chunk. */
  async record(
    work: Work,
    parsed: ParsedDocument,
    chunker: Chunker,
    chunks: readonly IdentifiedChunk[],
  ): Promise<IndexingResult | undefined> {
    return (await this.#recorded(work, parsed, { chunker, chunks }))?.result;
  }

  /**
   * Chunks and records. A reason is for people: the document then keeps the chunks of another list. `failedChunks`: what that list lacks.
   * A list that lacks more would hide text that is found now.
   */
  async make(work: Work, parsed: ParsedDocument, failedChunks: number): Promise<MadeList> {
    const chunked = await this.chunk(work, parsed);
    const reason = whyNot(chunked);
    if (reason !== undefined) return { reason };
    const made = await this.#recorded(work, parsed, chunked);
    if (!made) return { reason: 'The embedding model refused every chunk.' };
    const { failedChunks: refused } = made.result;
    if (refused <= failedChunks) return made;
    return { reason: `With these chunking settings, the embedding model refused ${refused} of ${chunked.chunks.length} chunks.` };
  }

  async #recorded(
    work: Work,
    parsed: ParsedDocument,
    { chunker, chunks }: Chunked,
  ): Promise<Readonly<{ result: IndexingResult; tokens: number }> | undefined> {
    const { refused, truncated, tokens } = await this.#recording.record(work, chunks, chunker, parsed.language);
    const indexed = chunks.filter(({ chunkId }) => !refused.has(chunkId));
    if (indexed.length === 0) return undefined;
    const result: IndexingResult = {
      chunkList: work.chunkList,
      title: titleOf(work.submission, parsed),
      mediaType: parsed.mediaType,
      language: parsed.language,
      chunkingVersion: chunker.version,
      metadata: parsed.metadata,
      chunks: indexed.map(({ chunkId, place }) => ({ chunkId, ...place })),
      failedChunks: refused.size,
      warnings: truncated === 0 ? parsed.warnings : [...parsed.warnings, truncatedWarning(truncated)],
    };
    return { result, tokens };
  }
}

/** Why a document cannot have these chunks. */
export const whyNot = ({ chunks: { length } }: Chunked): string | undefined => {
  if (length === 0) return 'With these chunking settings, the document has no chunks.';
  return length > MAX_CHUNKS ? `With these chunking settings, it has ${length} chunks; at most ${MAX_CHUNKS} are allowed.` : undefined;
};

/** A list with the chunks of another one, which says why. The document stays searchable in both. */
export const keptAs = (chunkList: ChunkListId, other: IndexingResult, reason: string): IndexingResult => ({
  ...other,
  chunkList,
  whole: true,
  notRechunked: reason,
  warnings: [...other.warnings.filter((warning) => !warning.startsWith(KEPT)), `${KEPT} ${reason}`],
});

const KEPT = 'The document keeps its chunks.';

/** @throws Corrupt if the upload is missing or damaged */
export const parseUpload = async (
  { blobs, parser }: Pick<ProcessingPorts, 'blobs' | 'parser'>,
  { cipher, signal, permit }: Pick<Work, 'cipher' | 'signal' | 'permit'>,
  { blob, fileName, mediaType }: Pick<Submission, 'blob' | 'fileName' | 'mediaType'>,
): Promise<ParseOutcome> => {
  const sealed = await blobs.get(blob);
  if (!sealed) throw new Corrupt(`blob ${blob} is missing`);
  const outcome = await parser.parse(
    {
      bytes: openBlob(cipher, blob, sealed),
      ...(fileName === undefined ? {} : { fileName }),
      ...(mediaType === undefined ? {} : { mediaType }),
    },
    signal,
    () => permit.yield(),
  );
  await permit.reacquire(signal);
  return outcome;
};

const truncatedWarning = (chunks: number): string =>
  `${chunks === 1 ? '1 chunk is' : `${chunks} chunks are`} too long to be embedded completely: dense search does not find the text at the end. Choose a smaller chunk size.`;

/** The first that is not blank: an earlier version accepted blank file names and sources. */
const titleOf = ({ title, fileName, sourceId }: Submission, parsed: ParsedDocument): string =>
  [title, parsed.title, fileName, sourceId].find((each) => each !== undefined && each.trim() !== '') ?? 'Untitled';
