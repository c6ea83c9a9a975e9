import { appendable, embedPassages, fromBase64, openText, sealVectors, type Journal } from '@palimpsest/contracts';
import { document as decider, documentStream } from '@palimpsest/knowledge/deciders';
import { EmbeddingModelMismatch, KnowledgeError } from '@palimpsest/knowledge/errors';
import { chunkListOf } from '@palimpsest/knowledge/values';
import type { ChunkText, EventMetadata, KnowledgeChunkReembedded, KnowledgeChunkReembedFailed } from '@palimpsest/knowledge/events';
import type { Embedder, EmbeddingProviders, ScopeCipher, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { ChunkId, DocumentId, Recipe, TenantScope } from '@palimpsest/knowledge/values';

export type ReembeddingPorts = Readonly<{ journal: Journal; keys: ScopeKeys; providers: EmbeddingProviders }>;

type MissingVector = Readonly<{ chunkId: ChunkId; madeFrom: number; text: ChunkText }>;
type ReembeddingEvent = KnowledgeChunkReembedded | KnowledgeChunkReembedFailed;

const BATCH = 32;

/**
 * `embedded`: chunks that got a vector now, with their `tokens`. `chunks`: all chunks of the document. `withoutVector`: those that still
 * have no vector, because the model rejected them.
 */
export type DocumentCounts = Readonly<{ embedded: number; chunks: number; withoutVector: number; tokens: number }>;

/** Called before each batch. Throws to stop the work there; what was embedded before is recorded. */
export type Gate = () => Promise<void>;

const OPEN: Gate = async () => undefined;

/** Computes the missing vectors of one recipe for the chunks of a document. Reads the texts from the log. */
export class ReembedDocument {
  readonly #ports: ReembeddingPorts;

  constructor(ports: ReembeddingPorts) {
    this.#ports = ports;
  }

  /** @throws EmbeddingModelMismatch, also if the model returns other dimensions; retryable errors; what the gate throws */
  async run(
    scope: TenantScope,
    id: DocumentId,
    { embedding: { version }, chunking }: Recipe,
    correlationId: string,
    signal: AbortSignal,
    gate: Gate = OPEN,
  ): Promise<DocumentCounts> {
    const { journal, keys, providers } = this.#ports;
    const stream = documentStream(scope.tenant, id);
    const { state } = await journal.load(decider, stream);
    const chunkIds = state.lists.get(chunkListOf(chunking))?.chunkIds ?? [];
    const wanted = new Map(
      chunkIds.flatMap((chunkId) => {
        const recorded = state.recorded.get(chunkId);
        return recorded && !recorded.vectors.has(version) ? [[recorded.textAt, chunkId] as const] : [];
      }),
    );
    const chunks = chunkIds.length;
    if (wanted.size === 0) return { embedded: 0, chunks, withoutVector: 0, tokens: 0 };
    const provider = providers.of(version, scope.tenant);
    if (!provider) throw new EmbeddingModelMismatch(version, providers.versions());
    const cipher = await keys.cipher(scope);
    const metadata: EventMetadata = { ...scope, actor: 'reembedding-worker', correlationId };
    let [embedded, tokens] = [0, 0];
    let batch: MissingVector[] = [];
    const flush = async (): Promise<void> => {
      if (batch.length === 0) return;
      await gate();
      const made = await this.#embed(id, batch, provider, cipher, signal);
      batch = [];
      for (const events of appendable(made)) {
        // If two workers process the document, the decider omits vectors that the other one has recorded.
        const executed = await journal.execute(decider, stream, { type: 'RecordReembedding', documentId: id, events }, metadata);
        for (const { type, data } of executed.events) {
          if (type !== 'KnowledgeChunkReembedded') continue;
          embedded++;
          tokens += data.tokens;
        }
      }
    };
    for await (const { event, revision } of journal.readStream(stream)) {
      const chunkId = wanted.get(revision);
      if (chunkId === undefined || event.type !== 'KnowledgeChunkIndexed') continue;
      batch.push({ chunkId, madeFrom: revision, text: openText(cipher, chunkId, fromBase64(event.data.sealedText)) });
      if (batch.length === BATCH) await flush();
    }
    await flush();
    return { embedded, chunks, withoutVector: wanted.size - embedded, tokens };
  }

  async #embed(
    documentId: DocumentId,
    batch: readonly MissingVector[],
    provider: Embedder,
    cipher: ScopeCipher,
    signal: AbortSignal,
  ): Promise<ReembeddingEvent[]> {
    const embeddingVersion = provider.version;
    try {
      const embedded = await embedPassages(
        provider,
        batch.map(({ text }) => text),
        signal,
      );
      return batch.flatMap(({ chunkId, madeFrom }, i): ReembeddingEvent[] => {
        const made = embedded[i];
        if (!made) return [];
        const { tokens, truncated } = made;
        const sealed = sealVectors(cipher, chunkId, embeddingVersion, made);
        return [
          { type: 'KnowledgeChunkReembedded', data: { documentId, chunkId, embeddingVersion, ...sealed, madeFrom, tokens, truncated } },
        ];
      });
    } catch (error) {
      if (!(error instanceof KnowledgeError) || error.retryable || error instanceof EmbeddingModelMismatch) throw error;
      const [only] = batch;
      if (batch.length === 1 && only)
        return [
          { type: 'KnowledgeChunkReembedFailed', data: { documentId, chunkId: only.chunkId, embeddingVersion, reason: error.message } },
        ];
      const alone: ReembeddingEvent[] = [];
      for (const one of batch) alone.push(...(await this.#embed(documentId, [one], provider, cipher, signal)));
      return alone;
    }
  }
}
