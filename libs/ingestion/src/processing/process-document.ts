import { openBlob, sealText, sealVector, toBase64, type Journal, type Loaded, type ProcessDocument as Command, type Reembed } from '@palimpsest/contracts';
import {
  activeGeneration, awaitsWork, Corrupt, document as decider, documentStream, EmbeddingModelMismatch, knowledgeBase, knowledgeBaseStream, liveGenerations, QuotaExceeded,
  scope as scopeDecider, scopeStream, START,
} from '@palimpsest/knowledge';
import type {
  Admission, BlobStore, ChunkId, Document, DocumentCommand, DocumentParser, EmbeddingProviders, EmbeddingVersion, EventMetadata, Hold, KnowledgeChunkIndexed,
  KnowledgeChunkReembedded, ParsedDocument, ScopeCipher, ScopeKeys, StreamName, Submission, TenantScope, TokenCounter,
} from '@palimpsest/knowledge';
import { chunkerFor } from '../chunking/chunker-for.ts';
import type { Chunker } from '../chunking/chunk-draft.ts';
import { chunkingSettings } from '../chunking/chunking-settings.ts';
import { cutDocument, type CutChunk } from './cut-document.ts';
import { appendable } from './appendable.ts';
import { MAX_CHUNKS } from './max-chunks.ts';
import { embedChunks, type EmbeddedChunk } from './embed-chunks.ts';
import { SOLE_TURN, type Turn } from './turns.ts';

export type ProcessingPorts = Readonly<{
  journal: Journal; blobs: BlobStore; keys: ScopeKeys; parser: DocumentParser; providers: EmbeddingProviders; tokens: TokenCounter; admission: Admission; now: () => string;
  /** Asks for vectors that an indexed document lacks. */
  requestReembedding: (work: Reembed) => Promise<void>;
}>;

/** Chunks embedded and appended at once: well below the log's limit of 1 MiB an append at the largest chunk size. */
const BATCH = 32;
const BATCH_CHARS = 100_000;

/** Someone submitted a newer version, or deleted the document: this work is of no use any more. */
class Superseded extends Error {}

/** One piece of work under way: what is known of its document grows with each append. */
type Work = {
  readonly command: Command; readonly scope: TenantScope; readonly stream: StreamName; readonly metadata: EventMetadata;
  readonly submission: Submission; readonly cipher: ScopeCipher; readonly signal: AbortSignal; readonly turn: Turn; loaded: Loaded<Document>;
};

/**
 * Parse, cut, embed, record, commit. Killed at any point and run again, it goes on from what the log has: recorded chunks are
 * not embedded twice, an indexed version is not indexed again.
 */
export class ProcessDocument {
  readonly #ports: ProcessingPorts;

  constructor(ports: ProcessingPorts) {
    this.#ports = ports;
  }

  /** Resolves when the version is indexed, failed for good, superseded, or held back by a paused knowledge base. @throws what may pass if it is tried again */
  async run(command: Command, signal: AbortSignal, turn: Turn = SOLE_TURN): Promise<void> {
    const { journal, keys } = this.#ports;
    const { tenant, scope: name, documentId, version, correlationId } = command;
    const scope: TenantScope = { tenant, scope: name };
    const stream = documentStream(tenant, documentId);
    const loaded = await journal.load(decider, stream);
    const { submission, status } = loaded.state;
    if (!submission || loaded.state.version !== version) return;
    const metadata: EventMetadata = { tenant, scope: name, actor: 'ingestion-worker', correlationId };
    if (status === 'indexed') return this.#fillGenerations(command, scope, metadata, loaded.state);
    if (!awaitsWork(loaded.state, version) || (await this.#isHeldBack(command, submission))) return;
    const work: Work = { command, scope, stream, metadata, submission, cipher: await keys.cipher(scope), signal, turn, loaded };
    try {
      await this.#execute(work, { type: 'StartProcessing', documentId, version, now: this.#ports.now() });
      await this.#index(work);
      await this.#fillGenerations(command, scope, metadata, work.loaded.state);
    } catch (error) {
      if (!(error instanceof Superseded)) throw error;
    }
  }

  /** Then there is nothing to be done: whoever resumes the knowledge base has what waits put onto the bus anew, and attempts begin anew. */
  async #isHeldBack({ tenant, resumedAt = START }: Command, submission: Submission): Promise<boolean> {
    const { state, position } = await this.#ports.journal.load(knowledgeBase, knowledgeBaseStream(tenant, submission.knowledgeBase));
    return state.status === 'paused' && position > resumedAt;
  }

  /** Gives up: the version failed, with a reason for people. */
  async fail(command: Command, reason: string, detail: string): Promise<void> {
    const { tenant, scope, documentId, version, correlationId } = command;
    const metadata: EventMetadata = { tenant, scope, actor: 'ingestion-worker', correlationId };
    await this.#ports.journal.execute(decider, documentStream(tenant, documentId), { type: 'Fail', documentId, version, reason, detail, now: this.#ports.now() }, metadata);
  }

  async #index(work: Work): Promise<void> {
    const parsed = await this.#parse(work);
    if (!parsed) return;
    const chunker = await this.#chunker(work, parsed);
    const chunks = await cutDocument(work.command.documentId, parsed, chunker);
    if (chunks.length === 0) return this.fail(work.command, 'empty', 'There is no text in it.');
    if (chunks.length > MAX_CHUNKS)
      return this.fail(work.command, 'too-large', `It would be cut into ${chunks.length} chunks; at most ${MAX_CHUNKS} are allowed in one document.`);
    const hold = await this.#roomFor(work, chunks.length);
    if (!hold) return;
    try {
      await this.#indexChunks(work, parsed, chunker, chunks);
      hold.taken(work.loaded.position);
    } catch (error) {
      hold.givenBack();
      throw error;
    }
  }

  /** Undefined when the tenant may not have so many chunks: then the version failed. */
  async #roomFor({ command }: Work, chunks: number): Promise<Hold | undefined> {
    try {
      return await this.#ports.admission.roomForChunks(command.tenant, command.documentId, chunks);
    } catch (error) {
      if (!(error instanceof QuotaExceeded)) throw error;
      await this.fail(command, 'quota-exceeded', `It was cut into ${chunks} chunks: ${error.message}.`);
      return undefined;
    }
  }

  async #indexChunks(work: Work, parsed: ParsedDocument, chunker: Chunker, chunks: readonly CutChunk[]): Promise<void> {
    const refused = await this.#record(work, chunks, chunker, parsed.language);
    const indexed = chunks.filter(({ chunkId }) => !refused.has(chunkId));
    if (indexed.length === 0) return this.fail(work.command, 'embedding-failed', 'The embedding model refused every chunk of it.');
    await this.#complete(work, parsed, chunker, indexed, refused.size);
  }

  async #parse({ submission, cipher, command, signal, turn }: Work): Promise<ParsedDocument | undefined> {
    const sealed = await this.#ports.blobs.get(submission.blob);
    if (!sealed) throw new Corrupt(`blob ${submission.blob} is missing`);
    const { fileName, mediaType } = submission;
    const outcome = await this.#ports.parser.parse(
      { bytes: openBlob(cipher, submission.blob, sealed), ...(fileName === undefined ? {} : { fileName }), ...(mediaType === undefined ? {} : { mediaType }) },
      signal,
      () => turn.stepAside(),
    );
    await turn.comeBack(signal);
    if (outcome.outcome === 'parsed') return outcome.document;
    await this.fail(command, outcome.reason, outcome.detail);
    return undefined;
  }

  async #chunker({ scope, submission }: Work, parsed: ParsedDocument): Promise<Chunker> {
    const { state } = await this.#ports.journal.load(knowledgeBase, knowledgeBaseStream(scope.tenant, submission.knowledgeBase));
    return chunkerFor(parsed, chunkingSettings(state.status === 'none' ? {} : state.settings.chunking), this.#ports.tokens);
  }

  /** Brings every chunk with a vector of every live generation onto the log; answers those that the model refused. */
  async #record(work: Work, chunks: readonly CutChunk[], chunker: Chunker, language: string): Promise<ReadonlySet<ChunkId>> {
    const { active, others } = await this.#versions(work);
    const refused = new Set<ChunkId>();
    const known = (id: ChunkId) => work.loaded.state.recorded.get(id);
    const unrecorded = distinct(chunks).filter(({ chunkId }) => !known(chunkId));
    await this.#embed(work, unrecorded, active, refused, (made) => this.#chunkIndexed(work, made, chunker, language, active));
    for (const version of [active, ...others]) {
      const lacking = distinct(chunks).filter(({ chunkId }) => known(chunkId) && !known(chunkId)?.vectors.has(version));
      // What only another model refuses is found by the active one all the same.
      await this.#embed(work, lacking, version, version === active ? refused : new Set(), (made) => reembedded(work, made, version));
    }
    return refused;
  }

  /**
   * A generation may have been started while this document was embedded for the others only. It is looked for once the
   * document is indexed: one that starts later finds the document by itself.
   */
  async #fillGenerations({ documentId, correlationId }: Command, scope: TenantScope, metadata: EventMetadata, { current, recorded }: Document): Promise<void> {
    const { active, others } = await this.#versions({ scope, metadata });
    const lacks = (version: EmbeddingVersion) => current?.chunkIds.some((id) => !recorded.get(id)?.vectors.has(version));
    if ([active, ...others].some(lacks)) await this.#ports.requestReembedding({ ...scope, documentId, correlationId });
  }

  async #versions({ scope, metadata }: Pick<Work, 'scope' | 'metadata'>): Promise<Readonly<{ active: EmbeddingVersion; others: readonly EmbeddingVersion[] }>> {
    const { journal, providers, now } = this.#ports;
    const open = { type: 'Open' as const, scope: scope.scope, embeddingVersion: providers.current.version, now: now() };
    const { state } = await journal.execute(scopeDecider, scopeStream(scope), open, metadata);
    const active = activeGeneration(state)?.embeddingVersion ?? providers.current.version;
    const versions = liveGenerations(state).map(({ embeddingVersion }) => embeddingVersion);
    // A generation on standby may be of a model that is not here any more: that must not keep documents out of the active one.
    return { active, others: [...new Set(versions)].filter((version) => version !== active && providers.of(version) !== undefined) };
  }

  async #embed(
    work: Work,
    chunks: readonly CutChunk[],
    version: EmbeddingVersion,
    refused: Set<ChunkId>,
    eventOf: (made: EmbeddedChunk) => KnowledgeChunkIndexed | KnowledgeChunkReembedded,
  ): Promise<void> {
    const { providers } = this.#ports;
    const { documentId, version: of } = work.command;
    const provider = chunks.length === 0 ? undefined : providers.of(version);
    if (chunks.length > 0 && !provider) throw new EmbeddingModelMismatch(version, providers.versions());
    for (const batch of batches(chunks)) {
      if (!provider) return;
      const result = await embedChunks(provider, batch, work.signal);
      for (const { chunk: { chunkId, index }, reason } of result.refused) {
        refused.add(chunkId);
        await this.#execute(work, { type: 'RecordChunkFailure', documentId, version: of, chunkId, index, embeddingVersion: version, reason });
      }
      for (const chunksOfAppend of appendable(result.embedded.map(eventOf)))
        await this.#execute(work, { type: 'RecordChunks', documentId, version: of, chunks: chunksOfAppend });
    }
  }

  #chunkIndexed({ command, cipher, submission }: Work, { chunk, embedding }: EmbeddedChunk, chunker: Chunker, language: string, version: EmbeddingVersion): KnowledgeChunkIndexed {
    const { chunkId, contentHash, index, of, place, content, symbol } = chunk;
    return {
      type: 'KnowledgeChunkIndexed',
      data: {
        ...place, documentId: command.documentId, version: command.version, chunkId, contentHash, index, of, language,
        ...(symbol === undefined ? {} : { symbol }),
        sealedText: toBase64(sealText(cipher, chunkId, content)),
        sealedVector: toBase64(sealVector(cipher, chunkId, version, embedding.vector)),
        embeddingVersion: version, chunkingVersion: chunker.version, origin: submission.origin, labels: submission.labels,
        tokens: embedding.tokens, truncated: embedding.truncated,
      },
    };
  }

  async #complete(work: Work, parsed: ParsedDocument, chunker: Chunker, chunks: readonly CutChunk[], failedChunks: number): Promise<void> {
    const { submission, command: { documentId, version } } = work;
    await this.#execute(work, {
      type: 'CompleteIndexing', documentId, version, now: this.#ports.now(),
      result: {
        title: submission.title ?? parsed.title ?? submission.fileName ?? submission.sourceId,
        mediaType: parsed.mediaType, language: parsed.language, chunkingVersion: chunker.version, metadata: parsed.metadata,
        chunks: chunks.map(({ chunkId, place }) => ({ chunkId, ...place })), failedChunks, warnings: parsed.warnings,
      },
    });
  }

  /** @throws Superseded when the decider has nothing to do with this version any more */
  async #execute(work: Work, command: DocumentCommand): Promise<void> {
    work.signal.throwIfAborted();
    const executed = await this.#ports.journal.execute(decider, work.stream, command, work.metadata, work.loaded);
    work.loaded = executed;
    const { version, status } = executed.state;
    if (version !== work.command.version || status === 'deleted') throw new Superseded();
  }
}

const reembedded = ({ command, cipher, loaded }: Work, { chunk: { chunkId }, embedding }: EmbeddedChunk, version: EmbeddingVersion): KnowledgeChunkReembedded => ({
  type: 'KnowledgeChunkReembedded',
  data: {
    documentId: command.documentId, chunkId, embeddingVersion: version,
    sealedVector: toBase64(sealVector(cipher, chunkId, version, embedding.vector)),
    madeFrom: loaded.state.recorded.get(chunkId)?.textAt ?? 0, tokens: embedding.tokens, truncated: embedding.truncated,
  },
});

const distinct = (chunks: readonly CutChunk[]): readonly CutChunk[] => [...new Map(chunks.map((chunk) => [chunk.chunkId, chunk])).values()];

function* batches(chunks: readonly CutChunk[]): Generator<readonly CutChunk[]> {
  let batch: CutChunk[] = [];
  let chars = 0;
  for (const chunk of chunks) {
    const size = chunk.content.text.length + chunk.content.contextPrefix.length;
    if (batch.length > 0 && (batch.length === BATCH || chars + size > BATCH_CHARS)) {
      yield batch;
      [batch, chars] = [[], 0];
    }
    batch.push(chunk);
    chars += size;
  }
  if (batch.length > 0) yield batch;
}
