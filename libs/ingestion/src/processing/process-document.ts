import { MAX_CHUNKS, sealing, type ProcessDocument as Command } from '@palimpsest/contracts';
import {
  awaitsWork,
  document as decider,
  documentStream,
  isGone,
  knowledgeBase,
  knowledgeBaseStream,
} from '@palimpsest/knowledge/deciders';
import { EmbeddingModelMismatch, ModelChanged, QuotaExceeded } from '@palimpsest/knowledge/errors';
import { WAITING_FOR_MODEL } from '@palimpsest/knowledge/events';
import { isWrittenLike, primaryLanguage } from '@palimpsest/knowledge/texts';
import { chunkListOf, START } from '@palimpsest/knowledge/values';
import type { Document, IndexingResult, KnowledgeBase } from '@palimpsest/knowledge/deciders';
import type { EventMetadata } from '@palimpsest/knowledge/events';
import type { Reservation } from '@palimpsest/knowledge/limits';
import type { ParsedDocument } from '@palimpsest/knowledge/ports';
import type { EmbeddingVersion, Position, TenantId, TenantScope } from '@palimpsest/knowledge/values';
import type { Chunker } from '../chunking/chunk-draft.ts';
import type { IdentifiedChunk } from './chunk-document.ts';
import { execute, Superseded, type ListVersions, type ProcessingPorts, type Versions, type Work } from './document-work.ts';
import { keptAs, MakeList, parseUpload } from './make-list.ts';
import { RecordChunks } from './record-chunks.ts';
import { UNCONTENDED_PERMIT, type Permit } from './semaphore.ts';

type ProcessingWork = Work & Readonly<{ further: readonly ListVersions[] }>;

/**
 * Parses, chunks, embeds, records and commits a document. If it is killed at any point and run again, it continues from the log:
 * recorded chunks are not embedded twice, and an indexed version is not indexed again.
 */
export class ProcessDocument {
  readonly #ports: ProcessingPorts;
  readonly #chunks: RecordChunks;
  readonly #lists: MakeList;

  constructor(ports: ProcessingPorts) {
    this.#ports = ports;
    this.#chunks = new RecordChunks(ports);
    this.#lists = new MakeList(ports, this.#chunks);
  }

  /** Resolves when the version is indexed, failed, deferred, superseded or held back by a paused knowledge base. @throws retryable errors */
  async run(command: Command, signal: AbortSignal, permit: Permit = UNCONTENDED_PERMIT): Promise<void> {
    const { journal, keys } = this.#ports;
    const { tenant, scope: name, documentId, version, correlationId } = command;
    const scope: TenantScope = { tenant, scope: name };
    const stream = documentStream(tenant, documentId);
    const loaded = await journal.load(decider, stream);
    const { submission, status } = loaded.state;
    if (!submission || loaded.state.version !== version) return;
    const metadata: EventMetadata = { tenant, scope: name, actor: 'ingestion-worker', correlationId };
    const { state: ofKnowledgeBase, position } = await journal.load(knowledgeBase, knowledgeBaseStream(tenant, submission.knowledgeBase));
    if (isDeleted(ofKnowledgeBase)) return this.#remove(command, metadata);
    if (status === 'indexed') return this.#fillGenerations(command, scope, metadata, loaded.state);
    if (!awaitsWork(loaded.state, version)) return;
    if (isHeldBack(command, ofKnowledgeBase, position)) return;
    const versions = await this.#chunks.versions({ scope, metadata });
    const missing = this.#missing(versions, tenant);
    if (missing) return this.#defer(command, missing);
    const work: ProcessingWork = {
      command,
      scope,
      stream,
      metadata,
      submission,
      versions,
      further: versions.further,
      knowledgeBase: ofKnowledgeBase,
      chunkList: chunkListOf(versions.chunking),
      cipher: await keys.cipher(sealing(scope, loaded.subject)),
      signal,
      permit,
      loaded,
    };
    try {
      await execute(this.#ports.journal, work, { type: 'StartProcessing', documentId, version, now: this.#ports.now() });
      await this.#index(work);
      await this.#fillGenerations(command, scope, metadata, work.loaded.state);
    } catch (error) {
      // The scope may have been switched to another model meanwhile, or the model may have changed under its name.
      const model =
        error instanceof EmbeddingModelMismatch || error instanceof ModelChanged
          ? this.#missing(await this.#chunks.versions(work), tenant)
          : undefined;
      if (model) return this.#defer(command, model);
      if (!(error instanceof Superseded)) throw error;
    }
  }

  /** Returns the active model of the scope if it is not configured in this process. */
  #missing({ active }: Versions, tenant: TenantId): EmbeddingVersion | undefined {
    return this.#ports.providers.of(active, tenant) === undefined ? active : undefined;
  }

  /** Until the scope has another model or this model is configured. `ReleaseDeferred` then resumes the document. */
  async #defer(command: Command, model: EmbeddingVersion): Promise<void> {
    const { tenant, scope, documentId, version, correlationId } = command;
    const changed = this.#ports.providers.models().some((one) => one.version === model && one.changed !== undefined);
    const [why, what] = changed
      ? ['another model has this name now', 'make the earlier model available again']
      : ['it is not configured', 'configure that model'];
    const detail = `Waiting for the embedding model ${model}: scope "${scope}" is searched with it, but ${why}. Re-embed the scope, or ${what}.`;
    const metadata: EventMetadata = { tenant, scope, actor: 'ingestion-worker', correlationId };
    await this.#ports.journal.execute(
      decider,
      documentStream(tenant, documentId),
      { type: 'Defer', documentId, version, reason: WAITING_FOR_MODEL, detail, now: this.#ports.now() },
      metadata,
    );
  }

  async #remove({ tenant, documentId }: Command, metadata: EventMetadata): Promise<void> {
    await this.#ports.journal.execute(
      decider,
      documentStream(tenant, documentId),
      { type: 'Delete', documentId, now: this.#ports.now() },
      metadata,
    );
  }

  /** Marks the version as failed, with a reason for people. */
  async fail(command: Command, reason: string, detail: string): Promise<void> {
    const { tenant, scope, documentId, version, correlationId } = command;
    const metadata: EventMetadata = { tenant, scope, actor: 'ingestion-worker', correlationId };
    await this.#ports.journal.execute(
      decider,
      documentStream(tenant, documentId),
      { type: 'Fail', documentId, version, reason, detail, now: this.#ports.now() },
      metadata,
    );
  }

  async #index(work: ProcessingWork): Promise<void> {
    const parsed = await this.#withLanguage(work, await this.#parse(work));
    if (!parsed) return;
    const { chunker, chunks } = await this.#lists.chunk(work, parsed);
    if (chunks.length === 0) return this.fail(work.command, 'empty', 'The document contains no text.');
    if (chunks.length > MAX_CHUNKS)
      return this.fail(work.command, 'too-large', `The document has ${chunks.length} chunks; at most ${MAX_CHUNKS} are allowed.`);
    const reservation = await this.#reserveChunks(work, chunks.length);
    if (!reservation) return;
    try {
      await this.#indexChunks(work, parsed, chunker, chunks);
      reservation.commit(work.loaded.position);
    } catch (error) {
      reservation.release();
      throw error;
    }
  }

  /** Returns undefined if the chunks exceed the tenant's quota. The version has then failed. */
  async #reserveChunks({ command }: Work, chunks: number): Promise<Reservation | undefined> {
    try {
      return await this.#ports.quotaPolicy.reserveChunks(command.tenant, command.documentId, chunks);
    } catch (error) {
      if (!(error instanceof QuotaExceeded)) throw error;
      await this.fail(command, 'quota-exceeded', `The document has ${chunks} chunks: ${error.message}.`);
      return undefined;
    }
  }

  async #indexChunks(work: ProcessingWork, parsed: ParsedDocument, chunker: Chunker, chunks: readonly IdentifiedChunk[]): Promise<void> {
    const result = await this.#lists.record(work, parsed, chunker, chunks);
    if (!result) return this.fail(work.command, 'embedding-failed', 'The embedding model refused every chunk.');
    const others: IndexingResult[] = [];
    for (const versions of work.further) others.push(await this.#further(work, versions, parsed, result));
    const { documentId, version } = work.command;
    const complete = { type: 'CompleteIndexing' as const, documentId, version, result, others, now: this.#ports.now() };
    await execute(this.#ports.journal, work, complete);
  }

  /** The list of another live generation. It takes effect with the first one, so that neither generation lacks the version. */
  async #further(work: ProcessingWork, versions: ListVersions, parsed: ParsedDocument, first: IndexingResult): Promise<IndexingResult> {
    const list: Work = { ...work, versions, chunkList: chunkListOf(versions.chunking) };
    try {
      const made = await this.#lists.make(list, parsed, first.failedChunks);
      return 'result' in made ? { ...made.result, whole: true } : keptAs(list.chunkList, first, made.reason);
    } finally {
      work.loaded = list.loaded;
    }
  }

  async #parse(work: Work): Promise<ParsedDocument | undefined> {
    const outcome = await parseUpload(this.#ports, work, work.submission);
    if (outcome.outcome === 'parsed') return outcome.document;
    await this.fail(work.command, outcome.reason, outcome.detail);
    return undefined;
  }

  async #withLanguage(work: Work, parsed: ParsedDocument | undefined): Promise<ParsedDocument | undefined> {
    const { scope, submission, knowledgeBase } = work;
    if (parsed?.language !== 'und' || isDeclared(knowledgeBase, parsed.text)) return parsed;
    return { ...parsed, language: await this.#ports.languages.of(scope, submission.knowledgeBase, parsed.text) };
  }

  /**
   * A generation may have been started while this document was embedded for the others only. Checked after the document is
   * indexed: a generation that starts later finds the document on its own.
   */
  async #fillGenerations(
    { documentId, correlationId }: Command,
    scope: TenantScope,
    metadata: EventMetadata,
    { lists, recorded }: Document,
  ): Promise<void> {
    const { further, ...first } = await this.#chunks.versions({ scope, metadata });
    const known = lists.get(chunkListOf(first.chunking));
    const lacks = ({ chunking, active, others }: ListVersions): boolean => {
      const list = lists.get(chunkListOf(chunking));
      return (
        known !== undefined &&
        (list?.version !== known.version ||
          list.chunkIds.some((id) => [active, ...others].some((one) => !recorded.get(id)?.vectors.has(one))))
      );
    };
    if ([first, ...further].some(lacks)) await this.#ports.requestReembedding({ ...scope, documentId, correlationId });
  }
}

/** A document that was accepted in the moment of the request may not be among those that the deletion of its knowledge base finds. */
const isDeleted = ({ status }: KnowledgeBase): boolean => status === 'deleting' || status === 'deleted';

/** A held document needs no work. When the knowledge base is resumed, it is published again, and its attempts start from 1. */
const isHeldBack = ({ resumedAt = START }: Command, { status }: KnowledgeBase, position: Position): boolean =>
  status === 'paused' && position > resumedAt;

/** If so, the index applies the declared language, and follows later changes. The document then keeps `und`. */
const isDeclared = (knowledgeBase: KnowledgeBase, text: string): boolean => {
  const language = isGone(knowledgeBase) ? undefined : knowledgeBase.settings.language;
  return language !== undefined && isWrittenLike(primaryLanguage(language), text);
};
