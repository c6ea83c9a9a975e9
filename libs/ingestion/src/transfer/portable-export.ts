import {
  cipherIfAny,
  fromBase64,
  openBlob,
  openText,
  openVectors,
  sealing,
  toBase64,
  type Journal,
  PIECE_BYTES,
  TRANSFER_FORMAT,
  type ChunkRecord,
  type DocumentRecord,
  type ExportEnd,
  type ExportHead,
  type TransferRecord,
} from '@palimpsest/contracts';
import { activeGeneration, document as decider, documentStream, scope as scopeDecider, scopeStream } from '@palimpsest/knowledge/deciders';
import { permittedScope } from '@palimpsest/knowledge/access';
import { Corrupt, NotFound } from '@palimpsest/knowledge/errors';
import { chunkListOf } from '@palimpsest/knowledge/values';
import type { Access, PermittedScope } from '@palimpsest/knowledge/access';
import type { CurrentVersion, Document } from '@palimpsest/knowledge/deciders';
import type { DomainEvent, Fact, Submission } from '@palimpsest/knowledge/events';
import type { BlobStore, ScopeCipher, ScopeKeys, StreamName } from '@palimpsest/knowledge/ports';
import type { Catalog } from '@palimpsest/knowledge/read-models';
import type {
  ChunkId,
  ChunkingSettings,
  ChunkListId,
  Digest,
  DocumentId,
  EmbeddingVersion,
  VectorScope,
} from '@palimpsest/knowledge/values';
import { fingerprintOf, plainChecksumOf, plainFingerprintOf } from '../identities.ts';
import { factsAt } from './facts-at.ts';

export type ExportRecord = ExportHead | TransferRecord | ExportEnd;

type Exporting = Readonly<{ head: ExportHead; chunkList: ChunkListId }>;

type Stores = Readonly<{ journal: Journal; catalog: Catalog; blobs: BlobStore; keys: ScopeKeys; now: () => string }>;

/** Documents per page of the list, and chunks per read. */
const PAGE = 200;
const CHUNKS = 64;

/**
 * Exports everything that another installation needs to restore a scope without calling a model: of each document the version that
 * searches find, with upload, texts and vectors. Needs memory for one upload.
 */
export class PortableExport {
  readonly #stores: Stores;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** The scope is checked before the first record. @throws NotFound */
  async run(access: Access, scope: VectorScope): Promise<AsyncGenerator<ExportRecord>> {
    const permitted = permittedScope(access, scope);
    const { journal, catalog, now } = this.#stores;
    const { state } = await journal.load(scopeDecider, scopeStream(permitted));
    const active = activeGeneration(state);
    if (!active) throw new NotFound('scope', scope);
    const bases = await catalog.knowledgeBases([permitted]);
    const head: ExportHead = {
      kind: 'export',
      format: TRANSFER_FORMAT,
      scope,
      embeddingVersion: active.embeddingVersion,
      exportedAt: now(),
      documents: bases.reduce((sum, { documents }) => sum + documents, 0),
      knowledgeBases: bases.map(({ id, name, description, chunking, language, status }) => ({
        id,
        name,
        description,
        chunking,
        ...(language === undefined ? {} : { language }),
        status: status === 'archived' ? status : 'active',
      })),
    };
    return this.#records(permitted, { head, chunkList: chunkListOf(active.recipe.chunking) });
  }

  async *#records(scope: PermittedScope, exporting: Exporting): AsyncGenerator<ExportRecord> {
    yield exporting.head;
    const end = { documents: 0, chunks: 0 };
    for await (const id of this.#documents(scope)) {
      let chunks = 0;
      for await (const record of this.#document(scope, id, exporting)) {
        if (record.kind === 'chunk') chunks += 1;
        if (record.kind === 'document-end') end.documents += 1;
        yield record;
      }
      end.chunks += chunks;
    }
    yield { kind: 'end', ...end };
  }

  async *#documents(scope: PermittedScope): AsyncGenerator<DocumentId> {
    for (let cursor: string | undefined; ;) {
      const { items, next } = await this.#stores.catalog.documents([scope], { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
      for (const { documentId } of items) yield documentId;
      if (next === undefined) return;
      cursor = next;
    }
  }

  /** Yields nothing for a document that was deleted since it was listed, or whose data subject was erased. */
  async *#document(scope: PermittedScope, id: DocumentId, { head, chunkList }: Exporting): AsyncGenerator<TransferRecord> {
    const stream = documentStream(scope.tenant, id);
    const { state, subject } = await this.#stores.journal.load(decider, stream);
    const cipher =
      subject === undefined ? await this.#stores.keys.cipher(scope) : await cipherIfAny(this.#stores.keys, sealing(scope, subject));
    const submission = cipher && (await this.#submissionOf(stream, state, chunkList));
    if (!submission) return;
    const upload = await this.#upload(submission, cipher);
    const indexed = state.lists.get(chunkList);
    const settings = head.knowledgeBases.find(({ id: name }) => name === submission.knowledgeBase)?.chunking;
    yield recordOf(submission, indexed, upload !== undefined, plainDigests(submission, indexed, { cipher, upload, settings }));
    for (let at = 0; upload && at < upload.length; at += PIECE_BYTES)
      yield { kind: 'bytes', data: toBase64(upload.subarray(at, at + PIECE_BYTES)) };
    if (indexed) yield* this.#chunks(stream, state, indexed.chunkIds, head.embeddingVersion, cipher);
    yield { kind: 'document-end' };
  }

  /** The submission of the version that searches find, or of the latest version if the document was never indexed. */
  async #submissionOf(
    stream: StreamName,
    { lists, submission, version }: Document,
    chunkList: ChunkListId,
  ): Promise<Submission | undefined> {
    const current = lists.get(chunkList);
    if (!current || current.version === version) return submission;
    for await (const { event } of this.#stores.journal.readStream(stream))
      if (event.type === 'DocumentSubmitted' && event.data.version === current.version) return event.data;
    throw new Corrupt(`${stream}: version ${current.version} was indexed, but never submitted`);
  }

  async #upload({ blob }: Submission, cipher: ScopeCipher): Promise<Uint8Array | undefined> {
    try {
      const sealed = await this.#stores.blobs.get(blob);
      return sealed && openBlob(cipher, blob, sealed);
    } catch (error) {
      // A damaged upload counts as missing: its chunks are still intact.
      if (error instanceof Corrupt) return undefined;
      throw error;
    }
  }

  async *#chunks(
    stream: StreamName,
    { recorded }: Document,
    ids: readonly ChunkId[],
    version: EmbeddingVersion,
    cipher: ScopeCipher,
  ): AsyncGenerator<ChunkRecord> {
    for (let at = 0; at < ids.length; at += CHUNKS) {
      const places = ids.slice(at, at + CHUNKS).map((id) => {
        const known = recorded.get(id);
        if (!known) throw new Corrupt(`${stream}: chunk ${id} is not on the log`);
        return { id, textAt: known.textAt, vectorAt: known.vectors.get(version) ?? known.textAt };
      });
      const facts = await factsAt(
        this.#stores.journal,
        stream,
        places.flatMap(({ textAt, vectorAt }) => [textAt, vectorAt]),
      );
      for (const { id, textAt, vectorAt } of places) yield chunkOf(id, facts.get(textAt)?.event, facts.get(vectorAt)?.event, cipher);
    }
  }
}

type Known = Readonly<{ cipher: ScopeCipher; upload: Uint8Array | undefined; settings: ChunkingSettings | undefined }>;

/**
 * The digests without a key, from which another installation makes its own. If the upload is lost, or the document was indexed with
 * other settings than its knowledge base has now, they cannot be computed: the stored digests stand for them, and match nothing elsewhere.
 */
const plainDigests = (
  submission: Submission,
  indexed: CurrentVersion | undefined,
  { cipher, upload, settings }: Known,
): Readonly<{ checksum: Digest; fingerprint: Digest }> => {
  const stored = { checksum: submission.checksum, fingerprint: indexed?.fingerprint ?? submission.fingerprint };
  if (!upload) return stored;
  const checksum = plainChecksumOf(upload);
  const plain = settings && plainFingerprintOf({ ...submission, checksum, chunking: settings });
  return { checksum, fingerprint: plain && fingerprintOf(cipher, plain) === stored.fingerprint ? plain : stored.fingerprint };
};

const recordOf = (
  submission: Submission,
  current: CurrentVersion | undefined,
  upload: boolean,
  { checksum, fingerprint }: Readonly<{ checksum: Digest; fingerprint: Digest }>,
): DocumentRecord => {
  const { knowledgeBase, sourceId, title, fileName, mediaType, labels, origin, bytes, subject } = submission;
  return {
    kind: 'document',
    knowledgeBase,
    sourceId,
    labels,
    origin,
    ...(subject === undefined ? {} : { subject }),
    bytes,
    checksum,
    upload,
    ...(title === undefined ? {} : { title }),
    ...(fileName === undefined ? {} : { fileName }),
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(current === undefined ? {} : { indexed: indexedOf(current, fingerprint) }),
  };
};

const indexedOf = ({ chunkIds, indexed }: CurrentVersion, fingerprint: Digest): NonNullable<DocumentRecord['indexed']> => {
  const { title, mediaType, language, chunkingVersion, metadata, failedChunks, warnings } = indexed;
  return {
    title,
    mediaType,
    language,
    fingerprint,
    chunkingVersion,
    metadata,
    failedChunks,
    warnings: [...warnings],
    chunks: chunkIds.length,
  };
};

const chunkOf = (
  id: ChunkId,
  content: Fact<DomainEvent>['event'] | undefined,
  vector: Fact<DomainEvent>['event'] | undefined,
  cipher: ScopeCipher,
): ChunkRecord => {
  if (content?.type !== 'KnowledgeChunkIndexed') throw new Corrupt(`the text of chunk ${id} is not on the log`);
  if (vector?.type !== 'KnowledgeChunkIndexed' && vector?.type !== 'KnowledgeChunkReembedded')
    throw new Corrupt(`the vector of chunk ${id} is not on the log`);
  const { start, end, fromLine, toLine, page, index, of, language, symbol } = content.data;
  const { embeddingVersion, tokens, truncated } = vector.data;
  const { vector: first, further = [] } = openVectors(cipher, id, embeddingVersion, vector.data);
  const { text, contextPrefix, headings } = openText(cipher, id, fromBase64(content.data.sealedText));
  return {
    kind: 'chunk',
    start,
    end,
    fromLine,
    toLine,
    index,
    of,
    text,
    contextPrefix,
    headings: [...headings],
    language,
    tokens,
    truncated,
    embeddingVersion,
    ...(page === undefined ? {} : { page }),
    ...(symbol === undefined ? {} : { symbol }),
    vector: toBase64(littleEndian(first)),
    ...(further.length === 0 ? {} : { furtherVectors: further.map((one) => toBase64(littleEndian(one))) }),
  };
};

const littleEndian = (vector: Float32Array): Uint8Array => {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, i) => bytes.writeFloatLE(value, i * 4));
  return bytes;
};
