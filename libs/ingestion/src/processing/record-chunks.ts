import { appendable, sealText, sealVectors, toBase64 } from '@palimpsest/contracts';
import { activeGeneration, liveGenerations, scope as scopeDecider, scopeStream } from '@palimpsest/knowledge/deciders';
import { EmbeddingModelMismatch } from '@palimpsest/knowledge/errors';
import { chunkListOf } from '@palimpsest/knowledge/values';
import type { KnowledgeChunkIndexed, KnowledgeChunkReembedded } from '@palimpsest/knowledge/events';
import type { ChunkId, ChunkListId, EmbeddingVersion } from '@palimpsest/knowledge/values';
import type { Chunker } from '../chunking/chunk-draft.ts';
import type { IdentifiedChunk } from './chunk-document.ts';
import { execute, type ListVersions, type ProcessingPorts, type Versions, type Work } from './document-work.ts';
import { embedChunks, type EmbeddedChunk } from './embed-chunks.ts';

/** Chunks embedded in one call. With a canary string, a request to an endpoint has 32 texts, which all endpoints accept. */
const BATCH = 31;
const BATCH_CHARS = 100_000;

/** Embeds chunks for every live generation and records them in batches. Chunks on the log are neither embedded nor recorded again. */
export class RecordChunks {
  readonly #ports: Pick<ProcessingPorts, 'journal' | 'providers' | 'now' | 'system'>;

  constructor(ports: Pick<ProcessingPorts, 'journal' | 'providers' | 'now' | 'system'>) {
    this.#ports = ports;
  }

  /**
   * Records every chunk with vectors of every live generation. `refused`: new chunks that the active model refused, which are left out.
   * A chunk that is on the log stays: sparse search finds it even if a model refuses it. `truncated`: the number of chunks embedded now
   * whose vectors do not cover the whole text. `tokens`: of the texts embedded now.
   */
  async record(
    work: Work,
    chunks: readonly IdentifiedChunk[],
    chunker: Chunker,
    language: string,
  ): Promise<Readonly<{ refused: ReadonlySet<ChunkId> }> & Embedded> {
    const { active, others } = work.versions;
    const refused = new Set<ChunkId>();
    const known = (id: ChunkId) => work.loaded.state.recorded.get(id);
    const unrecorded = distinct(chunks).filter(({ chunkId }) => !known(chunkId));
    const first = await this.#embed(work, unrecorded, active, refused, (made) => chunkIndexed(work, made, chunker, language, active));
    let { truncated, tokens } = first;
    for (const version of [active, ...others]) {
      const lacking = distinct(chunks).filter(({ chunkId }) => known(chunkId) && !known(chunkId)?.vectors.has(version));
      const also = await this.#embed(work, lacking, version, new Set(), (made) => reembedded(work, made, version));
      if (version === active) truncated += also.truncated;
      tokens += also.tokens;
    }
    return { refused, truncated, tokens };
  }

  /** Opens the scope if it is new. */
  async versions({ scope, metadata }: Pick<Work, 'scope' | 'metadata'>): Promise<Versions> {
    const { journal, providers, now } = this.#ports;
    const open = { type: 'Open' as const, scope: scope.scope, recipe: providers.recipeOf(providers.current.version), now: now() };
    const { state } = await journal.execute(scopeDecider, scopeStream(scope), open, metadata);
    const {
      embedding: { version: active },
      chunking,
    } = activeGeneration(state)?.recipe ?? open.recipe;
    // The model of another generation may no longer be configured. That must not keep documents out of the active one.
    const usable = liveGenerations(state).filter(({ embeddingVersion }) => providers.of(embeddingVersion, scope.tenant) !== undefined);
    const lists = Map.groupBy(usable, ({ recipe }) => chunkListOf(recipe.chunking));
    const modelsOf = (list: ChunkListId) => [...new Set(lists.get(list)?.map(({ embeddingVersion }) => embeddingVersion))];
    const served = chunkListOf(chunking);
    const further = [...lists].flatMap(([list, [first]]): ListVersions[] => {
      const [lead, ...others] = modelsOf(list);
      return list === served || !first || !lead ? [] : [{ chunking: first.recipe.chunking, active: lead, others }];
    });
    return { chunking, active, others: modelsOf(served).filter((version) => version !== active), further };
  }

  async #embed(
    work: Work,
    chunks: readonly IdentifiedChunk[],
    version: EmbeddingVersion,
    refused: Set<ChunkId>,
    eventOf: (made: EmbeddedChunk) => KnowledgeChunkIndexed | KnowledgeChunkReembedded,
  ): Promise<Embedded> {
    const { journal, providers, system } = this.#ports;
    const { documentId, version: of } = work.command;
    const provider = chunks.length === 0 ? undefined : providers.of(version, work.scope.tenant);
    if (chunks.length > 0 && !provider) throw new EmbeddingModelMismatch(version, providers.versions());
    let [truncated, tokens] = [0, 0];
    for (const batch of batches(chunks)) {
      if (!provider) break;
      // What a swap needs waits behind new documents.
      const kind = work.alongside === undefined ? 'passage' : 'background';
      const result = await embedChunks(provider, batch, work.signal, kind, system);
      for (const {
        chunk: { chunkId, index },
        reason,
      } of result.refused) {
        refused.add(chunkId);
        const isRecorded = work.loaded.state.recorded.has(chunkId);
        await execute(
          journal,
          work,
          isRecorded
            ? {
                type: 'RecordReembedding',
                documentId,
                events: [{ type: 'KnowledgeChunkReembedFailed', data: { documentId, chunkId, embeddingVersion: version, reason } }],
              }
            : {
                type: 'RecordChunkFailure',
                documentId,
                version: of,
                chunkList: work.chunkList,
                chunkId,
                index,
                embeddingVersion: version,
                reason,
              },
        );
      }
      for (const chunksOfAppend of appendable(result.embedded.map(eventOf)))
        await execute(journal, work, { type: 'RecordChunks', documentId, version: of, ...listOf(work), chunks: chunksOfAppend });
      truncated += result.embedded.filter(({ embedding }) => embedding.truncated).length;
      tokens += result.embedded.reduce((sum, { embedding }) => sum + embedding.tokens, 0);
    }
    return { truncated, tokens };
  }
}

/** What was embedded now. */
type Embedded = Readonly<{ truncated: number; tokens: number }>;

const listOf = ({ chunkList, alongside }: Work): Readonly<{ chunkList: ChunkListId; whole?: true }> => ({
  chunkList,
  ...(alongside === undefined ? {} : { whole: true }),
});

const chunkIndexed = (
  { command, cipher, submission }: Work,
  { chunk, embedding }: EmbeddedChunk,
  chunker: Chunker,
  language: string,
  version: EmbeddingVersion,
): KnowledgeChunkIndexed => {
  const { chunkId, contentHash, index, of, place, content, symbol } = chunk;
  return {
    type: 'KnowledgeChunkIndexed',
    data: {
      ...place,
      documentId: command.documentId,
      version: command.version,
      chunkId,
      contentHash,
      index,
      of,
      language,
      ...(symbol === undefined ? {} : { symbol }),
      sealedText: toBase64(sealText(cipher, chunkId, content)),
      ...sealVectors(cipher, chunkId, version, embedding),
      embeddingVersion: version,
      chunkingVersion: chunker.version,
      origin: submission.origin,
      tokens: embedding.tokens,
      truncated: embedding.truncated,
    },
  };
};

const reembedded = (
  { command, cipher, loaded }: Work,
  { chunk: { chunkId }, embedding }: EmbeddedChunk,
  version: EmbeddingVersion,
): KnowledgeChunkReembedded => ({
  type: 'KnowledgeChunkReembedded',
  data: {
    documentId: command.documentId,
    chunkId,
    embeddingVersion: version,
    ...sealVectors(cipher, chunkId, version, embedding),
    madeFrom: loaded.state.recorded.get(chunkId)?.textAt ?? 0,
    tokens: embedding.tokens,
    truncated: embedding.truncated,
  },
});

const distinct = (chunks: readonly IdentifiedChunk[]): readonly IdentifiedChunk[] => [
  ...new Map(chunks.map((chunk) => [chunk.chunkId, chunk])).values(),
];

function* batches(chunks: readonly IdentifiedChunk[]): Generator<readonly IdentifiedChunk[]> {
  let batch: IdentifiedChunk[] = [];
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
