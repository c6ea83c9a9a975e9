import { sealing, type Journal } from '@palimpsest/contracts';
import { document as decider, documentStream, knowledgeBase, knowledgeBaseStream } from '@palimpsest/knowledge/deciders';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { chunkListOf } from '@palimpsest/knowledge/values';
import type { CurrentVersion, Document, Generation, IndexingResult } from '@palimpsest/knowledge/deciders';
import type { ChunkText, Submission } from '@palimpsest/knowledge/events';
import type { ParsedDocument, StreamName } from '@palimpsest/knowledge/ports';
import type { ChunkId, ChunkListId, DocumentId, Recipe, TenantScope } from '@palimpsest/knowledge/values';
import { execute, Superseded, type ProcessingPorts, type Work } from './document-work.ts';
import { keptAs, MakeList, parseUpload, whyNot } from './make-list.ts';
import { RecordChunks } from './record-chunks.ts';
import { UNCONTENDED_PERMIT } from './semaphore.ts';

export type RechunkPorts = Pick<ProcessingPorts, 'journal' | 'blobs' | 'keys' | 'parser' | 'providers' | 'now' | 'system'>;

/** `of`: the list that searches of the scope see. The document gets the list of `generation` for the version that it has there. */
export type Rechunk = Readonly<{
  scope: TenantScope;
  documentId: DocumentId;
  of: ChunkListId;
  generation: Generation;
  correlationId: string;
  signal: AbortSignal;
  /** Called before each step; may throw to stop. */
  gate: () => Promise<void>;
}>;

/** What `Rechunk` would do, without doing it. */
type Preview = Pick<Rechunk, 'scope' | 'documentId' | 'of' | 'signal'> & Readonly<{ recipe: Recipe }>;
/** `isEmbedded`: the log has its vector of the recipe's model. */
type PreviewedChunk = Readonly<{ content: ChunkText; isEmbedded: boolean }>;

/** Gives an indexed document another chunk list, from its stored upload. */
export class RechunkDocument {
  readonly #ports: RechunkPorts;
  readonly #lists: MakeList;

  constructor(ports: RechunkPorts) {
    this.#ports = ports;
    this.#lists = new MakeList(ports, new RecordChunks(ports));
  }

  /**
   * Resolves with the tokens that were embedded. If the document cannot be chunked again, its list has the chunks of the other one, and
   * says why. Does nothing if the document was deleted or changed meanwhile: what changed it makes both lists.
   * @throws EmbeddingModelMismatch; retryable errors
   */
  async run({ scope, documentId, of, generation, correlationId, signal, gate }: Rechunk): Promise<Readonly<{ tokens: number }>> {
    const { journal, now } = this.#ports;
    const opened = await this.#open({ scope, documentId, of, recipe: generation.recipe, signal }, 'reembedding-worker', correlationId);
    if (!opened) return { tokens: 0 };
    const { known } = opened;
    const work: Work = { ...opened.work, gate };
    try {
      const { result, tokens } = onTheLog(work, known) ?? (await this.#made(work, known));
      const complete = {
        type: 'CompleteIndexing' as const,
        documentId,
        version: known.version,
        result: { ...result, whole: true as const },
      };
      await execute(journal, work, { ...complete, now: now() });
      return { tokens };
    } catch (error) {
      if (error instanceof Superseded) return { tokens: 0 };
      throw error;
    }
  }

  /**
   * The chunks that a document would get; `chunks` is missing if it would keep those that it has. Undefined if it was deleted. Records
   * nothing and embeds nothing. @throws EmbeddingModelMismatch; retryable errors
   */
  async preview(asked: Preview): Promise<Readonly<{ present: number; chunks?: readonly PreviewedChunk[] }> | undefined> {
    const opened = await this.#open(asked, 'swap-planner', 'plan');
    if (!opened) return undefined;
    const { work, known } = opened;
    const present = known.chunkIds.length;
    const parsed = await this.#parsed(work);
    if (typeof parsed === 'string') return { present };
    const chunked = await this.#lists.chunk(work, { ...parsed, language: known.indexed.language });
    if (whyNot(chunked) !== undefined) return { present };
    const { recorded } = work.loaded.state;
    const isEmbedded = (id: ChunkId): boolean => recorded.get(id)?.vectors.has(work.versions.active) === true;
    return { present, chunks: chunked.chunks.map(({ chunkId, content }) => ({ content, isEmbedded: isEmbedded(chunkId) })) };
  }

  /** Undefined if the document no longer has the list `of`. */
  async #open(
    { scope, documentId, of, recipe, signal }: Preview,
    actor: string,
    correlationId: string,
  ): Promise<Readonly<{ work: Work; known: CurrentVersion }> | undefined> {
    const { journal, keys } = this.#ports;
    const stream = documentStream(scope.tenant, documentId);
    const loaded = await journal.load(decider, stream);
    const known = loaded.state.lists.get(of);
    if (!known) return undefined;
    const { state: ofKnowledgeBase } = await journal.load(knowledgeBase, knowledgeBaseStream(scope.tenant, known.indexed.knowledgeBase));
    const work: Work = {
      command: { ...scope, documentId, version: known.version, correlationId },
      scope,
      stream,
      metadata: { ...scope, actor, correlationId },
      submission: await submissionOf(journal, stream, loaded.state, known.version),
      versions: { chunking: recipe.chunking, active: recipe.embedding.version, others: [] },
      knowledgeBase: ofKnowledgeBase,
      chunkList: chunkListOf(recipe.chunking),
      alongside: of,
      cipher: await keys.cipher(sealing(scope, loaded.subject)),
      signal,
      permit: UNCONTENDED_PERMIT,
      loaded,
    };
    return { work, known };
  }

  async #made(work: Work, known: CurrentVersion): Promise<Readonly<{ result: IndexingResult; tokens: number }>> {
    const parsed = await this.#parsed(work);
    const made =
      typeof parsed === 'string'
        ? { reason: parsed }
        : await this.#lists.make(work, { ...parsed, language: known.indexed.language }, known.indexed.failedChunks);
    if ('reason' in made) return { result: keptAs(work.chunkList, attributesOf(known), made.reason), tokens: 0 };
    // Only the chunks differ: a later version of the parser may find another title.
    const { title, mediaType, language, metadata } = known.indexed;
    return { ...made, result: { ...made.result, title, mediaType, language, metadata } };
  }

  /** Returns the reason if the upload cannot be read. */
  async #parsed(work: Work): Promise<ParsedDocument | string> {
    try {
      const outcome = await parseUpload(this.#ports, work, work.submission);
      return outcome.outcome === 'parsed' ? outcome.document : `The stored upload could not be read again: ${outcome.detail}`;
    } catch (error) {
      if (error instanceof Corrupt) return 'The stored upload is missing or damaged.';
      throw error;
    }
  }
}

/** An earlier swap made the list for this version. The read models lack it, because no generation has had it since. */
const onTheLog = (
  { loaded, chunkList }: Work,
  { version }: CurrentVersion,
): Readonly<{ result: IndexingResult; tokens: number }> | undefined => {
  const made = loaded.state.lists.get(chunkList);
  return made?.version === version && made.indexed.notRechunked === undefined ? { result: attributesOf(made), tokens: 0 } : undefined;
};

const attributesOf = ({ indexed }: CurrentVersion): IndexingResult => {
  const { chunkList, title, mediaType, language, chunkingVersion, metadata, chunks, failedChunks, warnings } = indexed;
  return { chunkList, title, mediaType, language, chunkingVersion, metadata, chunks, failedChunks, warnings };
};

const submissionOf = async (
  journal: Journal,
  stream: StreamName,
  { submission, version: latest }: Document,
  version: number,
): Promise<Submission> => {
  if (submission && latest === version) return submission;
  for await (const { event } of journal.readStream(stream))
    if (event.type === 'DocumentSubmitted' && event.data.version === version) return event.data;
  throw new Corrupt(`${stream}: version ${version} was indexed, but never submitted`);
};
