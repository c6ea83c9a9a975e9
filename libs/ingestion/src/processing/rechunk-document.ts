import type { Journal } from '@palimpsest/contracts';
import { document as decider, documentStream, knowledgeBase, knowledgeBaseStream } from '@palimpsest/knowledge/deciders';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { chunkListOf } from '@palimpsest/knowledge/values';
import type { CurrentVersion, Document, Generation, IndexingResult } from '@palimpsest/knowledge/deciders';
import type { Submission } from '@palimpsest/knowledge/events';
import type { ParsedDocument, StreamName } from '@palimpsest/knowledge/ports';
import type { ChunkListId, DocumentId, TenantScope } from '@palimpsest/knowledge/values';
import { execute, Superseded, type ProcessingPorts, type Work } from './document-work.ts';
import { keptAs, MakeList, parseUpload } from './make-list.ts';
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
    const { journal, keys, now } = this.#ports;
    const stream = documentStream(scope.tenant, documentId);
    const loaded = await journal.load(decider, stream);
    const known = loaded.state.lists.get(of);
    if (!known) return { tokens: 0 };
    const { state: ofKnowledgeBase } = await journal.load(knowledgeBase, knowledgeBaseStream(scope.tenant, known.indexed.knowledgeBase));
    const work: Work = {
      command: { ...scope, documentId, version: known.version, correlationId },
      scope,
      stream,
      metadata: { ...scope, actor: 'reembedding-worker', correlationId },
      submission: await submissionOf(journal, stream, loaded.state, known.version),
      versions: { chunking: generation.recipe.chunking, active: generation.embeddingVersion, others: [] },
      knowledgeBase: ofKnowledgeBase,
      chunkList: chunkListOf(generation.recipe.chunking),
      alongside: of,
      cipher: await keys.cipher(scope),
      signal,
      gate,
      permit: UNCONTENDED_PERMIT,
      loaded,
    };
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

  async #made(work: Work, known: CurrentVersion): Promise<Readonly<{ result: IndexingResult; tokens: number }>> {
    const parsed = await this.#parsed(work);
    const made =
      typeof parsed === 'string' ? { reason: parsed } : await this.#lists.make(work, { ...parsed, language: known.indexed.language });
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
