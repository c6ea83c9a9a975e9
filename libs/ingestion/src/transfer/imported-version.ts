import {
  appendable,
  fromBase64,
  maxVectors,
  sealText,
  sealVectors,
  toBase64,
  type ChunkVectors,
  type Executed,
  type Journal,
  type Loaded,
  type ChunkRecord,
  type DocumentRecord,
} from '@palimpsest/contracts';
import { document as decider } from '@palimpsest/knowledge/deciders';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { chunkPlace } from '@palimpsest/knowledge/texts';
import { chunkListOf, embeddingVersionParts } from '@palimpsest/knowledge/values';
import type { Document } from '@palimpsest/knowledge/deciders';
import type {
  ChunkPlace,
  DocumentEvent,
  EventMetadata,
  KnowledgeChunkIndexed,
  KnowledgeChunkReembedded,
  Submission,
} from '@palimpsest/knowledge/events';
import type { BlobKey, ScopeCipher, StreamName } from '@palimpsest/knowledge/ports';
import type { ChunkId, DocumentId, EmbeddingVersion, Recipe, Digest } from '@palimpsest/knowledge/values';
import { checksumOf, chunkIdOf, contentHashOf, fingerprintOf } from '../identities.ts';

type Tools = Readonly<{
  journal: Journal;
  stream: StreamName;
  metadata: EventMetadata;
  cipher: ScopeCipher;
  active: Recipe;
  now: () => string;
}>;

/** Chunks that are appended together. */
const BATCH = 32;
/** Maximum deviation of a vector's length from 1. */
const UNIT_ERROR = 1e-3;

/** Writes a version of a document from another installation to the log. */
export class ImportedVersion {
  readonly #tools: Tools;
  readonly #id: DocumentId;
  readonly #record: DocumentRecord;
  readonly #indexed: NonNullable<DocumentRecord['indexed']>;
  readonly #version: number;
  readonly #chunks: (ChunkPlace & Readonly<{ chunkId: ChunkId }>)[] = [];
  readonly #occurrences = new Map<Digest, number>();
  #waiting: (KnowledgeChunkIndexed | KnowledgeChunkReembedded)[] = [];
  #loaded: Loaded<Document>;

  constructor(tools: Tools, id: DocumentId, record: DocumentRecord, loaded: Loaded<Document>) {
    if (!record.indexed) throw new InvalidValue('indexed', 'the indexed version of the document', undefined);
    this.#tools = tools;
    this.#id = id;
    this.#record = record;
    this.#indexed = record.indexed;
    this.#loaded = loaded;
    this.#version = loaded.state.version + 1;
  }

  /** @throws InvalidValue */
  async add(chunk: ChunkRecord): Promise<void> {
    const { start, end, fromLine, toLine, page, text, contextPrefix, index, of } = chunk;
    if (this.#chunks.length === this.#indexed.chunks)
      throw new InvalidValue('chunks', `${this.#indexed.chunks} chunks of "${this.#record.sourceId}"`, 'more');
    if (index >= of) throw new InvalidValue('index', `less than ${of}, the number of chunks`, index);
    const place = chunkPlace({ start, end, fromLine, toLine, ...(page === undefined ? {} : { page }) }, text, this.#chunks.at(-1));
    const contentHash = contentHashOf(this.#tools.cipher, contextPrefix, text);
    const occurrence = this.#occurrences.get(contentHash) ?? 0;
    this.#occurrences.set(contentHash, occurrence + 1);
    const chunkId = chunkIdOf(this.#id, contentHash, occurrence);
    this.#chunks.push({ chunkId, ...place });
    const event = this.#eventOf(chunk, chunkId, contentHash, place);
    if (event) this.#waiting.push(event);
    if (this.#waiting.length >= BATCH) await this.#flush();
  }

  /** Submits and commits the version in one append. @throws InvalidValue; Conflict if the document was changed meanwhile */
  async commit(blob: BlobKey): Promise<Executed<Document, DocumentEvent>> {
    if (this.#chunks.length !== this.#indexed.chunks)
      throw new InvalidValue('chunks', `${this.#indexed.chunks} chunks of "${this.#record.sourceId}"`, this.#chunks.length);
    await this.#flush();
    const { knowledgeBase, sourceId, title, fileName, mediaType, labels, origin, subject, bytes, checksum } = this.#record;
    const { fingerprint, chunks: _chunks, warnings, ...indexed } = this.#indexed;
    const { journal, stream, metadata, cipher, active, now } = this.#tools;
    const submission: Submission = {
      knowledgeBase,
      sourceId,
      labels,
      origin,
      bytes,
      blob,
      checksum: checksumOf(cipher, checksum),
      fingerprint: fingerprintOf(cipher, fingerprint),
      ...(title === undefined ? {} : { title }),
      ...(fileName === undefined ? {} : { fileName }),
      ...(mediaType === undefined ? {} : { mediaType }),
      ...(subject === undefined ? {} : { subject }),
    };
    const result = { ...indexed, chunkList: chunkListOf(active.chunking), warnings, chunks: this.#chunks };
    return journal.execute(
      decider,
      stream,
      { type: 'Import', documentId: this.#id, version: this.#version, submission, result, now: now() },
      metadata,
      this.#loaded,
    );
  }

  async #flush(): Promise<void> {
    const { journal, stream, metadata } = this.#tools;
    for (const chunks of appendable(this.#waiting))
      this.#loaded = await journal.execute(
        decider,
        stream,
        { type: 'RecordContents', documentId: this.#id, version: this.#version, chunks },
        metadata,
        this.#loaded,
      );
    this.#waiting = [];
  }

  /** Returns undefined for a chunk that is already on the log. */
  #eventOf(
    chunk: ChunkRecord,
    chunkId: ChunkId,
    contentHash: Digest,
    place: ChunkPlace,
  ): KnowledgeChunkIndexed | KnowledgeChunkReembedded | undefined {
    const { cipher } = this.#tools;
    const { embeddingVersion, tokens, truncated, text, contextPrefix, headings, index, of, language, symbol } = chunk;
    const known = this.#loaded.state.recorded.get(chunkId);
    if (known?.vectors.has(embeddingVersion)) return undefined;
    const vector = { embeddingVersion, tokens, truncated, ...sealVectors(cipher, chunkId, embeddingVersion, vectorsOf(chunk)) };
    if (known) return { type: 'KnowledgeChunkReembedded', data: { documentId: this.#id, chunkId, madeFrom: known.textAt, ...vector } };
    const { origin } = this.#record;
    return {
      type: 'KnowledgeChunkIndexed',
      data: {
        ...place,
        ...vector,
        documentId: this.#id,
        version: this.#version,
        chunkId,
        contentHash,
        index,
        of,
        language,
        origin,
        ...(symbol === undefined ? {} : { symbol }),
        sealedText: toBase64(sealText(cipher, chunkId, { text, contextPrefix, headings })),
        chunkingVersion: this.#indexed.chunkingVersion,
      },
    };
  }
}

/** @throws InvalidValue unless all are unit vectors with the dimensions of their version */
const vectorsOf = ({ vector, furtherVectors = [], embeddingVersion }: ChunkRecord): ChunkVectors => {
  const max = maxVectors(embeddingVersionParts(embeddingVersion).dimensions);
  if (furtherVectors.length >= max)
    throw new InvalidValue('furtherVectors', `at most ${max - 1} vectors (${embeddingVersion})`, furtherVectors.length);
  const further = furtherVectors.map((one, i) => vectorOf(one, embeddingVersion, `furtherVectors.${i}`));
  return { vector: vectorOf(vector, embeddingVersion, 'vector'), ...(further.length === 0 ? {} : { further }) };
};

const vectorOf = (base64: string, embeddingVersion: EmbeddingVersion, field: string): Float32Array => {
  const bytes = Buffer.from(fromBase64(base64));
  const { dimensions } = embeddingVersionParts(embeddingVersion);
  if (bytes.length !== dimensions * 4) throw new InvalidValue(field, `${dimensions} values (${embeddingVersion})`, `${bytes.length} bytes`);
  const vector = Float32Array.from({ length: dimensions }, (_, i) => bytes.readFloatLE(i * 4));
  const length = Math.hypot(...vector);
  if (!(Math.abs(length - 1) < UNIT_ERROR)) throw new InvalidValue(field, 'a vector of length 1', `one of length ${length}`);
  return vector;
};
