import {
  appendable,
  cipherIfAny,
  embedPassages,
  fromBase64,
  openText,
  sealing,
  sealVectors,
  type Journal,
  type Loaded,
} from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import { document as decider, documentStream } from '@palimpsest/knowledge/deciders';
import { EmbeddingModelMismatch, KnowledgeError } from '@palimpsest/knowledge/errors';
import { chunkListOf } from '@palimpsest/knowledge/values';
import type { Document, Generation } from '@palimpsest/knowledge/deciders';
import type { ChunkText, EventMetadata, KnowledgeChunkReembedded, KnowledgeChunkReembedFailed } from '@palimpsest/knowledge/events';
import type { Embedder, EmbeddingProviders, ScopeCipher, ScopeKeys, StreamName } from '@palimpsest/knowledge/ports';
import type { ChunkId, DocumentId, EmbeddingVersion, GenerationId } from '@palimpsest/knowledge/values';
import type { Run } from './run.ts';
import { FULL_SPEED, OPEN, type Gate, type Turns } from './throttle/turns.ts';

export type ReembeddingPorts = Readonly<{
  journal: Journal;
  keys: ScopeKeys;
  providers: EmbeddingProviders;
  system?: Pick<System, 'clock' | 'scheduler'>;
}>;

/** A document as it was read from the log. `loaded` is replaced by each append to the stream. */
export type OpenDocument = { readonly id: DocumentId; readonly stream: StreamName; loaded: Loaded<Document> };
type MissingVector = Readonly<{ document: OpenDocument; generation: GenerationId; chunkId: ChunkId; madeFrom: number; text: ChunkText }>;
type ReembeddingEvent = KnowledgeChunkReembedded | KnowledgeChunkReembedFailed;
type Made = Readonly<{ missing: MissingVector; event: ReembeddingEvent }>;
type Batch = Readonly<{ version: EmbeddingVersion; made: Promise<readonly Made[]> }>;

/** Texts that are embedded in one call; they may belong to several documents. With a canary string, a request to an endpoint has 32, which all endpoints accept. */
export const BATCH = 31;
/** Batches that the model has at the same time, so that it need not wait while the next texts are read and the last vectors recorded. */
export const IN_FLIGHT = 3;

/**
 * `embedded`: chunks that got a vector now, with their `tokens`. `chunks`: all chunks of the documents. `withoutVector`: those that
 * still have no vector, because the model rejected them.
 */
export type DocumentCounts = Readonly<{ embedded: number; chunks: number; withoutVector: number; tokens: number }>;

export const NOTHING: DocumentCounts = { embedded: 0, chunks: 0, withoutVector: 0, tokens: 0 };

/**
 * Computes the missing vectors of documents, with texts from the log. Batches are filled across documents, and are embedded while
 * other texts are read and other vectors are recorded. Use: `open` and `add` for each document, then `end`; `close` in any case.
 */
export class ReembedDocuments {
  readonly #ports: ReembeddingPorts;
  readonly #run: Run;
  readonly #gate: Gate;
  readonly #turns: Turns;
  readonly #confirmed: Promise<unknown>;
  readonly #metadata: EventMetadata;
  readonly #waiting = new Map<EmbeddingVersion, MissingVector[]>();
  readonly #running: Batch[] = [];
  readonly #counts = new Map<GenerationId, DocumentCounts>();

  /** `confirmed`: nothing is recorded before it resolves, nor if it rejects. The first batches are embedded meanwhile. */
  constructor(
    ports: ReembeddingPorts,
    run: Run,
    {
      gate = OPEN,
      turns = FULL_SPEED,
      confirmed = Promise.resolve(),
    }: Readonly<{ gate?: Gate; turns?: Turns; confirmed?: Promise<unknown> }> = {},
  ) {
    this.#ports = ports;
    this.#run = run;
    this.#gate = gate;
    this.#turns = turns;
    this.#confirmed = confirmed;
    this.#metadata = { ...run.scope, actor: 'reembedding-worker', correlationId: run.correlationId };
  }

  /** Reads a document, possibly while others are added. */
  async open(id: DocumentId): Promise<OpenDocument> {
    const stream = documentStream(this.#run.scope.tenant, id);
    return { id, stream, loaded: await this.#ports.journal.load(decider, stream) };
  }

  /**
   * Adds the missing vectors of a document for the recipes of these generations. Waits while the model is busy.
   * @throws EmbeddingModelMismatch, also if the model returns other dimensions; retryable errors; what the gate throws
   */
  async add(document: OpenDocument, generations: readonly Generation[]): Promise<void> {
    for (const generation of generations) await this.#addMissing(document, generation);
  }

  /** Embeds and records what is left. @throws as `add` */
  async end(): Promise<void> {
    for (const version of [...this.#waiting.keys()]) await this.#send(version);
    while (this.#running.length > 0) await this.#recordOldest();
  }

  /** After a stop or an error, records what the model still returns: it was paid for. */
  async close(): Promise<void> {
    while (this.#running.length > 0) await this.#recordOldest().catch(() => undefined);
  }

  counts(generation: GenerationId): DocumentCounts {
    return this.#counts.get(generation) ?? NOTHING;
  }

  /** The counts of all generations. */
  total(): DocumentCounts {
    return [...this.#counts.values()].reduce(added, NOTHING);
  }

  async #addMissing(document: OpenDocument, { id: generation, recipe }: Generation): Promise<void> {
    const { journal, providers } = this.#ports;
    const { scope } = this.#run;
    const { version } = recipe.embedding;
    const { state } = document.loaded;
    const chunkIds = state.lists.get(chunkListOf(recipe.chunking))?.chunkIds ?? [];
    const wanted = new Map(
      chunkIds.flatMap((chunkId) => {
        const recorded = state.recorded.get(chunkId);
        return recorded && !recorded.vectors.has(version) ? [[recorded.textAt, chunkId] as const] : [];
      }),
    );
    const cipher = wanted.size === 0 ? undefined : await this.#cipherFor(document);
    this.#count(generation, { chunks: chunkIds.length, withoutVector: cipher ? wanted.size : 0 });
    if (!cipher) return;
    if (!providers.of(version, scope.tenant)) throw new EmbeddingModelMismatch(version, providers.versions());
    for await (const { event, revision } of journal.readStream(document.stream)) {
      const chunkId = wanted.get(revision);
      if (chunkId === undefined || event.type !== 'KnowledgeChunkIndexed') continue;
      wanted.delete(revision);
      const text = openText(cipher, chunkId, fromBase64(event.data.sealedText));
      await this.#push(version, { document, generation, chunkId, madeFrom: revision, text });
      if (wanted.size === 0) return;
    }
  }

  async #push(version: EmbeddingVersion, missing: MissingVector): Promise<void> {
    const waiting = this.#waiting.get(version);
    if (waiting === undefined) this.#waiting.set(version, [missing]);
    else waiting.push(missing);
    if ((waiting?.length ?? 1) >= BATCH) await this.#send(version);
  }

  async #send(version: EmbeddingVersion): Promise<void> {
    if (this.#running.length >= IN_FLIGHT) await this.#recordOldest();
    const { providers } = this.#ports;
    const { scope, signal } = this.#run;
    const provider = providers.of(version, scope.tenant);
    if (!provider) throw new EmbeddingModelMismatch(version, providers.versions());
    const endTurn = await this.#turns.next(signal, this.#gate);
    const batch = this.#waiting.get(version) ?? [];
    this.#waiting.delete(version);
    const made = this.#embed(batch, provider).finally(endTurn);
    // Its error is thrown where the batch is recorded.
    made.catch(() => undefined);
    this.#running.push({ version, made });
  }

  async #recordOldest(): Promise<void> {
    const batch = this.#running.shift();
    if (batch === undefined) return;
    await this.#confirmed;
    const byDocument = Map.groupBy(await batch.made, ({ missing }) => missing.document);
    // Each stream has one append at a time: a batch is recorded before the next one is.
    await Promise.all([...byDocument].map(([document, made]) => this.#record(document, batch.version, made)));
  }

  async #record(document: OpenDocument, version: EmbeddingVersion, made: readonly Made[]): Promise<void> {
    const { journal } = this.#ports;
    for (const events of appendable(made.map(({ event }) => event))) {
      const command = { type: 'RecordReembedding', documentId: document.id, events } as const;
      // If two workers process the document, the decider omits vectors that the other one has recorded.
      const executed = await journal.execute(decider, document.stream, command, this.#metadata, document.loaded);
      document.loaded = executed;
      const now = new Map(executed.events.flatMap(({ type, data }) => (type === 'KnowledgeChunkReembedded' ? [[data.chunkId, data]] : [])));
      for (const { missing } of made.filter(({ event }) => events.includes(event))) {
        const has = executed.state.recorded.get(missing.chunkId)?.vectors.has(version) === true;
        const mine = now.get(missing.chunkId);
        this.#count(missing.generation, {
          embedded: mine ? 1 : 0,
          tokens: mine?.tokens ?? 0,
          withoutVector: has ? -1 : 0,
        });
      }
    }
  }

  /** Undefined if the person whom the document is about was erased: it is deleted, too. @throws ScopeKeyDestroyed if the scope was */
  async #cipherFor({ loaded: { subject } }: OpenDocument): Promise<ScopeCipher | undefined> {
    const ofScope = await this.#ports.keys.cipher(this.#run.scope);
    return subject === undefined ? ofScope : cipherIfAny(this.#ports.keys, sealing(this.#run.scope, subject));
  }

  async #embed(batch: readonly MissingVector[], provider: Embedder): Promise<Made[]> {
    const embeddingVersion = provider.version;
    try {
      const embedded = await embedPassages(
        provider,
        batch.map(({ text }) => text),
        this.#run.signal,
        'background',
        this.#ports.system,
      );
      const all: Made[] = [];
      for (const [i, missing] of batch.entries()) {
        const { document, chunkId, madeFrom } = missing;
        const [made, cipher] = [embedded[i], await this.#cipherFor(document)];
        if (!made || !cipher) continue;
        const { tokens, truncated } = made;
        const sealed = sealVectors(cipher, chunkId, embeddingVersion, made);
        const data = { documentId: document.id, chunkId, embeddingVersion, ...sealed, madeFrom, tokens, truncated };
        all.push({ missing, event: { type: 'KnowledgeChunkReembedded', data } });
      }
      return all;
    } catch (error) {
      if (!(error instanceof KnowledgeError) || error.retryable || error instanceof EmbeddingModelMismatch) throw error;
      const [only] = batch;
      if (batch.length === 1 && only) {
        const data = { documentId: only.document.id, chunkId: only.chunkId, embeddingVersion, reason: error.message };
        return [{ missing: only, event: { type: 'KnowledgeChunkReembedFailed', data } }];
      }
      const alone: Made[] = [];
      for (const one of batch) alone.push(...(await this.#embed([one], provider)));
      return alone;
    }
  }

  #count(generation: GenerationId, more: Partial<DocumentCounts>): void {
    this.#counts.set(generation, added(this.counts(generation), { ...NOTHING, ...more }));
  }
}

const added = (a: DocumentCounts, b: DocumentCounts): DocumentCounts => ({
  embedded: a.embedded + b.embedded,
  chunks: a.chunks + b.chunks,
  withoutVector: a.withoutVector + b.withoutVector,
  tokens: a.tokens + b.tokens,
});
