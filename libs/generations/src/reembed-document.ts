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

/** Computes the missing vectors of one recipe for the chunks of a document. Reads the texts from the log. */
export class ReembedDocument {
  readonly #ports: ReembeddingPorts;

  constructor(ports: ReembeddingPorts) {
    this.#ports = ports;
  }

  /** Returns the number of chunks that got a vector. @throws EmbeddingModelMismatch; retryable errors */
  async run(
    scope: TenantScope,
    id: DocumentId,
    { embedding: { version }, chunking }: Recipe,
    correlationId: string,
    signal: AbortSignal,
  ): Promise<number> {
    const { journal, keys, providers } = this.#ports;
    const stream = documentStream(scope.tenant, id);
    const { state } = await journal.load(decider, stream);
    const wanted = new Map(
      (state.lists.get(chunkListOf(chunking))?.chunkIds ?? []).flatMap((chunkId) => {
        const recorded = state.recorded.get(chunkId);
        return recorded && !recorded.vectors.has(version) ? [[recorded.textAt, chunkId] as const] : [];
      }),
    );
    if (wanted.size === 0) return 0;
    const provider = providers.of(version, scope.tenant);
    if (!provider) throw new EmbeddingModelMismatch(version, providers.versions());
    const cipher = await keys.cipher(scope);
    const metadata: EventMetadata = { ...scope, actor: 'reembedding-worker', correlationId };
    let done = 0;
    let batch: MissingVector[] = [];
    const flush = async (): Promise<void> => {
      if (batch.length === 0) return;
      const made = await this.#embed(id, batch, provider, cipher, signal);
      batch = [];
      for (const events of appendable(made)) {
        // If two workers process the document, the decider omits vectors that the other one has recorded.
        const executed = await journal.execute(decider, stream, { type: 'RecordReembedding', documentId: id, events }, metadata);
        done += executed.events.filter(({ type }) => type === 'KnowledgeChunkReembedded').length;
      }
    };
    for await (const { event, revision } of journal.readStream(stream)) {
      const chunkId = wanted.get(revision);
      if (chunkId === undefined || event.type !== 'KnowledgeChunkIndexed') continue;
      batch.push({ chunkId, madeFrom: revision, text: openText(cipher, chunkId, fromBase64(event.data.sealedText)) });
      if (batch.length === BATCH) await flush();
    }
    await flush();
    return done;
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
      if (!(error instanceof KnowledgeError) || error.retryable) throw error;
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
