import { openBlob, type ProcessDocument as Command } from '@palimpsest/contracts';
import { awaitsWork, Corrupt, document as decider, documentStream, EmbeddingModelMismatch, isWrittenLike, knowledgeBase, knowledgeBaseStream, primaryLanguage, QuotaExceeded, START, WAITING_FOR_MODEL } from '@palimpsest/knowledge';
import type { Document, EmbeddingVersion, EventMetadata, Hold, ParsedDocument, Submission, TenantId, TenantScope } from '@palimpsest/knowledge';
import { chunkerFor } from '../chunking/chunker-for.ts';
import type { Chunker } from '../chunking/chunk-draft.ts';
import { chunkingSettings } from '../chunking/chunking-settings.ts';
import { cutDocument, type CutChunk } from './cut-document.ts';
import { execute, Superseded, type ProcessingPorts, type Work } from './document-work.ts';
import { MAX_CHUNKS } from './max-chunks.ts';
import { RecordChunks } from './record-chunks.ts';
import { SOLE_TURN, type Turn } from './turns.ts';

/** How many of the model's windows a chunk may span in a document that would else have too many of them. */
const MOST_WINDOWS = 8;

/**
 * Parse, cut, embed, record, commit. Killed at any point and run again, it goes on from what the log has: recorded chunks are
 * not embedded twice, an indexed version is not indexed again.
 */
export class ProcessDocument {
  readonly #ports: ProcessingPorts;
  readonly #chunks: RecordChunks;

  constructor(ports: ProcessingPorts) {
    this.#ports = ports;
    this.#chunks = new RecordChunks(ports);
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
    const missing = await this.#missingModel({ scope, metadata });
    if (missing) return this.#defer(command, missing);
    const work: Work = { command, scope, stream, metadata, submission, cipher: await keys.cipher(scope), signal, turn, loaded };
    try {
      await execute(this.#ports.journal, work, { type: 'StartProcessing', documentId, version, now: this.#ports.now() });
      await this.#index(work);
      await this.#fillGenerations(command, scope, metadata, work.loaded.state);
    } catch (error) {
      // The scope may have been switched to another model meanwhile.
      const model = error instanceof EmbeddingModelMismatch ? await this.#missingModel(work) : undefined;
      if (model) return this.#defer(command, model);
      if (!(error instanceof Superseded)) throw error;
    }
  }

  /** The model that the scope is searched with, when this process cannot ask it. */
  async #missingModel(of: Pick<Work, 'scope' | 'metadata'>): Promise<EmbeddingVersion | undefined> {
    const { active } = await this.#chunks.versions(of);
    return this.#ports.providers.of(active, of.scope.tenant) === undefined ? active : undefined;
  }

  /** Until the scope has another model, or another process has this one: `ReleaseDeferred` lets it go on. */
  async #defer(command: Command, model: EmbeddingVersion): Promise<void> {
    const { tenant, scope, documentId, version, correlationId } = command;
    const detail = `It waits for the embedding model ${model}, which scope "${scope}" is searched with and which is not configured: re-embed the scope, or start with that model.`;
    const metadata: EventMetadata = { tenant, scope, actor: 'ingestion-worker', correlationId };
    await this.#ports.journal.execute(decider, documentStream(tenant, documentId), { type: 'Defer', documentId, version, reason: WAITING_FOR_MODEL, detail, now: this.#ports.now() }, metadata);
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
    const parsed = await this.#inALanguage(work, await this.#parse(work));
    if (!parsed) return;
    const { chunker, chunks } = await this.#cut(work, parsed);
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
    const { refused, cut } = await this.#chunks.record(work, chunks, chunker, parsed.language);
    const indexed = chunks.filter(({ chunkId }) => !refused.has(chunkId));
    if (indexed.length === 0) return this.fail(work.command, 'embedding-failed', 'The embedding model refused every chunk of it.');
    const warnings = cut === 0 ? parsed.warnings : [...parsed.warnings, `${cut === 1 ? '1 chunk is' : `${cut} chunks are`} longer than its vectors can hold: dense search does not find the end of it. Choose smaller chunks.`];
    await this.#complete(work, { ...parsed, warnings }, chunker, indexed, refused.size);
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

  /** Then the index reads it in the declared language, and follows when another is declared: nothing is decided here. */
  async #isDeclared(tenant: TenantId, { knowledgeBase: id }: Submission, text: string): Promise<boolean> {
    const { state } = await this.#ports.journal.load(knowledgeBase, knowledgeBaseStream(tenant, id));
    const language = state.status === 'none' ? undefined : state.settings.language;
    return language !== undefined && isWrittenLike(primaryLanguage(language), text);
  }

  async #inALanguage({ scope, submission }: Work, parsed: ParsedDocument | undefined): Promise<ParsedDocument | undefined> {
    if (parsed?.language !== 'und' || (await this.#isDeclared(scope.tenant, submission, parsed.text))) return parsed;
    return { ...parsed, language: await this.#ports.languages.of(scope, submission.knowledgeBase, parsed.text) };
  }

  /** Cut for the model that serves the scope: another generation's model may read less, and then makes several vectors of a chunk. */
  async #cut(work: Work, parsed: ParsedDocument): Promise<Readonly<{ chunker: Chunker; chunks: readonly CutChunk[] }>> {
    const { scope, submission } = work;
    const { providers } = this.#ports;
    const { active } = await this.#chunks.versions(work);
    const provider = providers.of(active, scope.tenant);
    if (!provider) throw new EmbeddingModelMismatch(active, providers.versions());
    const { state } = await this.#ports.journal.load(knowledgeBase, knowledgeBaseStream(scope.tenant, submission.knowledgeBase));
    const window = await provider.window();
    for (let windows = 1; ; windows *= 2) {
      const chunker = chunkerFor(parsed, state.status === 'none' ? chunkingSettings() : state.settings.chunking, window, windows);
      const chunks = await cutDocument(work.command.documentId, parsed, chunker);
      // Chunks of several vectors, rather than a large document that is not found at all; a size that its owner chose stays as it is.
      if (chunks.length <= MAX_CHUNKS || windows === MOST_WINDOWS) return { chunker, chunks };
    }
  }

  /**
   * A generation may have been started while this document was embedded for the others only. It is looked for once the
   * document is indexed: one that starts later finds the document by itself.
   */
  async #fillGenerations({ documentId, correlationId }: Command, scope: TenantScope, metadata: EventMetadata, { current, recorded }: Document): Promise<void> {
    const { active, others } = await this.#chunks.versions({ scope, metadata });
    const lacks = (version: EmbeddingVersion) => current?.chunkIds.some((id) => !recorded.get(id)?.vectors.has(version));
    if ([active, ...others].some(lacks)) await this.#ports.requestReembedding({ ...scope, documentId, correlationId });
  }

  async #complete(work: Work, parsed: ParsedDocument, chunker: Chunker, chunks: readonly CutChunk[], failedChunks: number): Promise<void> {
    const { submission, command: { documentId, version } } = work;
    await execute(this.#ports.journal, work, {
      type: 'CompleteIndexing', documentId, version, now: this.#ports.now(),
      result: {
        title: submission.title ?? parsed.title ?? submission.fileName ?? submission.sourceId,
        mediaType: parsed.mediaType, language: parsed.language, chunkingVersion: chunker.version, metadata: parsed.metadata,
        chunks: chunks.map(({ chunkId, place }) => ({ chunkId, ...place })), failedChunks, warnings: parsed.warnings,
      },
    });
  }
}
