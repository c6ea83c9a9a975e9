import { appendable, sealText, sealVectors, toBase64 } from '@palimpsest/contracts';
import { activeGeneration, EmbeddingModelMismatch, liveGenerations, scope as scopeDecider, scopeStream } from '@palimpsest/knowledge';
import type { ChunkId, EmbeddingVersion, KnowledgeChunkIndexed, KnowledgeChunkReembedded } from '@palimpsest/knowledge';
import type { Chunker } from '../chunking/chunk-draft.ts';
import type { CutChunk } from './cut-document.ts';
import { execute, type ProcessingPorts, type Work } from './document-work.ts';
import { embedChunks, type EmbeddedChunk } from './embed-chunks.ts';

/** Chunks embedded at once. */
const BATCH = 32;
const BATCH_CHARS = 100_000;

/** Embeds chunks for every live generation and records them, batch by batch; what the log has already is neither embedded nor recorded again. */
export class RecordChunks {
  readonly #ports: Pick<ProcessingPorts, 'journal' | 'providers' | 'now'>;

  constructor(ports: Pick<ProcessingPorts, 'journal' | 'providers' | 'now'>) {
    this.#ports = ports;
  }

  /**
   * Brings every chunk with vectors of every live generation onto the log. `refused`: those that are left out, since the model of the active
   * one refused them; a chunk that is on the log stays, and is found by its words where a model refuses it. `cut`: how many of those that
   * the model was now asked for are not in their vectors to the end.
   */
  async record(work: Work, chunks: readonly CutChunk[], chunker: Chunker, language: string): Promise<Readonly<{ refused: ReadonlySet<ChunkId>; cut: number }>> {
    const { active, others } = await this.versions(work);
    const refused = new Set<ChunkId>();
    const known = (id: ChunkId) => work.loaded.state.recorded.get(id);
    const unrecorded = distinct(chunks).filter(({ chunkId }) => !known(chunkId));
    let cut = await this.#embed(work, unrecorded, active, refused, (made) => chunkIndexed(work, made, chunker, language, active));
    for (const version of [active, ...others]) {
      const lacking = distinct(chunks).filter(({ chunkId }) => known(chunkId) && !known(chunkId)?.vectors.has(version));
      const also = await this.#embed(work, lacking, version, new Set(), (made) => reembedded(work, made, version));
      if (version === active) cut += also;
    }
    return { refused, cut };
  }

  /** Of the models whose vectors a document of the scope needs, and that are here. */
  async versions({ scope, metadata }: Pick<Work, 'scope' | 'metadata'>): Promise<Readonly<{ active: EmbeddingVersion; others: readonly EmbeddingVersion[] }>> {
    const { journal, providers, now } = this.#ports;
    const open = { type: 'Open' as const, scope: scope.scope, embeddingVersion: providers.current.version, now: now() };
    const { state } = await journal.execute(scopeDecider, scopeStream(scope), open, metadata);
    const active = activeGeneration(state)?.embeddingVersion ?? providers.current.version;
    const versions = liveGenerations(state).map(({ embeddingVersion }) => embeddingVersion);
    // A generation on standby may be of a model that is not here any more: that must not keep documents out of the active one.
    return { active, others: [...new Set(versions)].filter((version) => version !== active && providers.of(version, scope.tenant) !== undefined) };
  }

  async #embed(
    work: Work,
    chunks: readonly CutChunk[],
    version: EmbeddingVersion,
    refused: Set<ChunkId>,
    eventOf: (made: EmbeddedChunk) => KnowledgeChunkIndexed | KnowledgeChunkReembedded,
  ): Promise<number> {
    const { journal, providers } = this.#ports;
    const { documentId, version: of } = work.command;
    const provider = chunks.length === 0 ? undefined : providers.of(version, work.scope.tenant);
    if (chunks.length > 0 && !provider) throw new EmbeddingModelMismatch(version, providers.versions());
    let cut = 0;
    for (const batch of batches(chunks)) {
      if (!provider) return cut;
      const result = await embedChunks(provider, batch, work.signal);
      for (const { chunk: { chunkId, index }, reason } of result.refused) {
        refused.add(chunkId);
        const isRecorded = work.loaded.state.recorded.has(chunkId);
        await execute(journal, work, isRecorded
          ? { type: 'RecordReembedding', documentId, events: [{ type: 'KnowledgeChunkReembedFailed', data: { documentId, chunkId, embeddingVersion: version, reason } }] }
          : { type: 'RecordChunkFailure', documentId, version: of, chunkId, index, embeddingVersion: version, reason });
      }
      for (const chunksOfAppend of appendable(result.embedded.map(eventOf)))
        await execute(journal, work, { type: 'RecordChunks', documentId, version: of, chunks: chunksOfAppend });
      cut += result.embedded.filter(({ embedding }) => embedding.truncated).length;
    }
    return cut;
  }
}

const chunkIndexed = ({ command, cipher, submission }: Work, { chunk, embedding }: EmbeddedChunk, chunker: Chunker, language: string, version: EmbeddingVersion): KnowledgeChunkIndexed => {
  const { chunkId, contentHash, index, of, place, content, symbol } = chunk;
  return {
    type: 'KnowledgeChunkIndexed',
    data: {
      ...place, documentId: command.documentId, version: command.version, chunkId, contentHash, index, of, language,
      ...(symbol === undefined ? {} : { symbol }),
      sealedText: toBase64(sealText(cipher, chunkId, content)),
      ...sealVectors(cipher, chunkId, version, embedding),
      embeddingVersion: version, chunkingVersion: chunker.version, origin: submission.origin, labels: submission.labels,
      tokens: embedding.tokens, truncated: embedding.truncated,
    },
  };
};

const reembedded = ({ command, cipher, loaded }: Work, { chunk: { chunkId }, embedding }: EmbeddedChunk, version: EmbeddingVersion): KnowledgeChunkReembedded => ({
  type: 'KnowledgeChunkReembedded',
  data: {
    documentId: command.documentId, chunkId, embeddingVersion: version,
    ...sealVectors(cipher, chunkId, version, embedding),
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
