import {
  documentIdOf,
  parseInput,
  sealBlob,
  sealing,
  type Journal,
  transferRecord,
  type DocumentRecord,
  type TransferRecord,
} from '@palimpsest/contracts';
import {
  activeGeneration,
  document as decider,
  documentStream,
  isGone,
  knowledgeBase,
  knowledgeBaseStream,
  scope as scopeDecider,
  scopeStream,
} from '@palimpsest/knowledge/deciders';
import { permittedScope } from '@palimpsest/knowledge/access';
import { InvalidValue, KnowledgeError, PartlyAccepted, NotFound } from '@palimpsest/knowledge/errors';
import type { Sealing } from '@palimpsest/knowledge/subjects';
import { START } from '@palimpsest/knowledge/values';
import type { Access } from '@palimpsest/knowledge/access';
import type { Document } from '@palimpsest/knowledge/deciders';
import type { DocumentIds } from '@palimpsest/knowledge/events';
import type { QuotaPolicy } from '@palimpsest/knowledge/limits';
import type { BlobStore, ScopeCipher, ScopeKeys } from '@palimpsest/knowledge/ports';
import type {
  Digest,
  DocumentId,
  EmbeddingVersion,
  KnowledgeBaseId,
  Position,
  Recipe,
  SourceId,
  TenantScope,
  VectorScope,
} from '@palimpsest/knowledge/values';
import { checksumOf, fingerprintOf } from '../identities.ts';
import { deletingConflict, pausedConflict } from '../knowledge-bases/knowledge-bases.ts';
import type { NewDocument, SubmitDocument } from '../submission/submit-document.ts';
import { ImportModelMismatch } from './import-start.ts';
import { ImportedVersion } from './imported-version.ts';
import { blobOf, UploadPieces } from './upload-pieces.ts';

export type ImportOptions = Readonly<{
  /** Submit every document again instead of importing its vectors. */
  reembed: boolean;
  /** Embedding version of the exported vectors; required unless `reembed` is set. */
  embeddingVersion?: EmbeddingVersion;
  /** Replace existing documents that have other content. */
  overwrite: boolean;
}>;

export type Imported = Readonly<{ documentId: DocumentId; sourceId: SourceId; knowledgeBase: KnowledgeBaseId }> &
  (
    | Readonly<{ status: 'imported' | 'unchanged' | 'kept' | 'accepted'; version: number; position: Position }>
    | Readonly<{ status: 'rejected'; error: KnowledgeError }>
  );

export type ImportStores = Readonly<{
  journal: Journal;
  blobs: BlobStore;
  keys: ScopeKeys;
  submit: SubmitDocument;
  quotaPolicy: QuotaPolicy;
  maxBytes: number;
  now: () => string;
}>;

type Context = Readonly<{
  access: Access;
  scope: TenantScope;
  active: Recipe;
  options: ImportOptions;
  correlationId: string;
}>;

/** The document that a record becomes. */
type Target = Readonly<{ id: DocumentId; of: Sealing; cipher: ScopeCipher }>;

/**
 * Imports documents that another installation indexed: first the chunks, which are not visible yet, then the version with its commit
 * in one append. An interrupted import can be repeated: recorded chunks are not recorded twice, indexed documents are left unchanged.
 */
export class DocumentImport {
  readonly #stores: ImportStores;

  constructor(stores: ImportStores) {
    this.#stores = stores;
  }

  /** Requires a scope that `ImportStart` has opened. @throws NotFound, Conflict, InvalidValue, Overloaded */
  async run(
    access: Access,
    scope: VectorScope,
    lines: AsyncIterable<string>,
    options: ImportOptions,
    correlationId: string,
  ): Promise<readonly Imported[]> {
    const permitted = permittedScope(access, scope);
    const { state } = await this.#stores.journal.load(scopeDecider, scopeStream(permitted));
    const active = activeGeneration(state)?.recipe;
    if (!active) throw new NotFound('scope', scope);
    if (!options.reembed && options.embeddingVersion !== active.embedding.version)
      throw new ImportModelMismatch(
        `the export has vectors of ${options.embeddingVersion ?? 'a model that was not named'}, but scope "${scope}" is served by ${active.embedding.version}: import with re-embedding, or into another scope`,
      );
    const context: Context = {
      access,
      scope: permitted,
      active,
      options,
      correlationId,
    };
    const done: Imported[] = [];
    const at = { line: 0 };
    const records = recordsOf(lines, at);
    try {
      for (let next = await records.next(); !next.done; next = await records.next()) {
        if (next.value.kind !== 'document') throw new InvalidValue('kind', '"document" first', next.value.kind);
        done.push(await this.#one(context, next.value, records));
      }
    } catch (error) {
      throw stoppedBy(error, at.line, done);
    }
    return done;
  }

  async #one(context: Context, record: DocumentRecord, records: AsyncGenerator<TransferRecord, void>): Promise<Imported> {
    const { access, options } = context;
    const documentIds = await this.#documentIds(context, record.knowledgeBase);
    const of = await this.#sealing(context, record);
    const cipher = await this.#stores.keys.cipher(of);
    const source = {
      tenant: access.tenant,
      sourceId: record.sourceId,
      knowledgeBase: record.knowledgeBase,
      documentIds,
      ofSubject: of.subject !== undefined,
    };
    const about = {
      documentId: await documentIdOf(this.#stores.journal, cipher, source),
      sourceId: record.sourceId,
      knowledgeBase: record.knowledgeBase,
    };
    const target: Target = { id: about.documentId, of, cipher };
    const found = await this.#found(context, record, target);
    const rest = restOf(records);
    const done: Imported = found
      ? { ...about, ...found }
      : await (record.indexed && !options.reembed ? this.#import(context, record, target, rest) : this.#submit(context, record, rest)).then(
          (outcome) => ({ ...about, ...outcome }),
          (error: unknown) => {
            // A permanent error of one document does not stop the import. Invalid input and retryable errors do.
            if (error instanceof KnowledgeError && !(error instanceof InvalidValue) && !error.retryable)
              return { ...about, status: 'rejected' as const, error };
            throw error;
          },
        );
    for await (const _ of rest); // skip the remaining records of this document
    return done;
  }

  /** @throws NotFound; Conflict if the knowledge base is paused */
  async #documentIds({ access, scope }: Context, id: KnowledgeBaseId): Promise<DocumentIds> {
    const { state } = await this.#stores.journal.load(knowledgeBase, knowledgeBaseStream(access.tenant, id));
    if (isGone(state) || state.scope !== scope.scope) throw new NotFound('knowledge base', id);
    if (state.status === 'deleting') throw deletingConflict(id);
    if (state.status === 'paused') throw pausedConflict(id);
    return state.documentIds;
  }

  async #sealing({ scope }: Context, { subject }: DocumentRecord): Promise<Sealing> {
    return sealing(scope, subject && (await this.#stores.keys.subjects.of(scope.tenant, subject)));
  }

  /** The result for a document that need not be imported. */
  async #found(
    { access, options }: Context,
    record: DocumentRecord,
    { id, cipher }: Target,
  ): Promise<Readonly<{ status: 'unchanged' | 'kept'; version: number; position: Position }> | undefined> {
    const { journal } = this.#stores;
    const { state, position } = await journal.load(decider, documentStream(access.tenant, id));
    if (isSame(record, cipher, state, options)) return { status: 'unchanged', version: state.version, position };
    const isThere = state.current !== undefined || state.status === 'pending' || state.status === 'processing';
    return isThere && !options.overwrite ? { status: 'kept', version: state.version, position } : undefined;
  }

  /** Reserves the tenant's quota by the sizes that the export declares. */
  async #import(context: Context, record: DocumentRecord, target: Target, rest: AsyncGenerator<TransferRecord>) {
    const { id } = target;
    const { quotaPolicy } = this.#stores;
    const { tenant } = context.access;
    const reservations = [await quotaPolicy.reserveDocument(tenant, id, record.bytes)];
    try {
      reservations.push(await quotaPolicy.reserveChunks(tenant, id, record.indexed?.chunks ?? 0));
      const imported = await this.#importWithin(context, record, target, rest);
      for (const reservation of reservations) reservation.commit(imported.position);
      return imported;
    } catch (error) {
      for (const reservation of reservations) reservation.release();
      throw error;
    }
  }

  async #importWithin(
    { access, active, correlationId }: Context,
    record: DocumentRecord,
    { id, of, cipher }: Target,
    rest: AsyncGenerator<TransferRecord>,
  ) {
    const { journal, blobs, maxBytes, now } = this.#stores;
    const upload = new UploadPieces(record, maxBytes);
    const stream = documentStream(access.tenant, id);
    const metadata = { ...of, actor: access.actor, correlationId };
    const version = new ImportedVersion(
      { journal, stream, metadata, cipher, active, now },
      id,
      record,
      await journal.load(decider, stream),
    );
    // Not `for await`: on an error it would end the generator, but the remaining records of the document must still be skipped.
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      if (next.value.kind === 'bytes') upload.add(next.value.data);
      else if (next.value.kind === 'chunk') await version.add(next.value);
    }
    const bytes = upload.bytes();
    const key = blobOf(access.tenant, id, checksumOf(cipher, record.checksum));
    if (bytes && !(await blobs.exists(key))) await blobs.put(key, sealBlob(cipher, key, bytes));
    const { state, position } = await version.commit(key);
    return { status: 'imported' as const, version: state.version, position };
  }

  /** Submits the upload as a new document: it is parsed, chunked and embedded here, and the queue's limits apply. */
  async #submit({ access, correlationId, options }: Context, record: DocumentRecord, rest: AsyncGenerator<TransferRecord>) {
    const upload = new UploadPieces(record, this.#stores.maxBytes);
    for (let next = await rest.next(); !next.done; next = await rest.next()) if (next.value.kind === 'bytes') upload.add(next.value.data);
    const bytes = upload.bytes();
    if (!bytes) throw new NotFound('upload of the document in this export', record.sourceId);
    const { knowledgeBase: base, sourceId, title, fileName, mediaType, labels, origin, subject } = record;
    const input: NewDocument = {
      knowledgeBase: base,
      sourceId,
      bytes,
      labels,
      origin,
      force: options.overwrite,
      ...(title === undefined ? {} : { title }),
      ...(fileName === undefined ? {} : { fileName }),
      ...(mediaType === undefined ? {} : { mediaType }),
      ...(subject === undefined ? {} : { subject }),
    };
    const { version, position, status } = await this.#stores.submit.run(access, input, correlationId);
    return { status: status === 'skipped' ? ('unchanged' as const) : ('accepted' as const), version, position };
  }
}

/** Whether the document exists as exported: the same submission and, unless it is re-embedded, the same chunking. */
const isSame = (
  { indexed, checksum, labels, origin, title, fileName, mediaType }: DocumentRecord,
  cipher: ScopeCipher,
  { current, submission }: Document,
  { reembed }: ImportOptions,
): boolean => {
  // A document of a version before 0.2 has the digests of the export itself, as has one whose settings changed since it was indexed.
  const isDigest = (known: Digest, plain: Digest, keyed: Digest): boolean => known === plain || known === keyed;
  if (indexed && current && isDigest(current.fingerprint, indexed.fingerprint, fingerprintOf(cipher, indexed.fingerprint))) return true;
  if ((indexed && !reembed) || !submission) return false;
  if (!isDigest(submission.checksum, checksum, checksumOf(cipher, checksum))) return false;
  const signature = (parts: Readonly<{ labels: Readonly<Record<string, string>>; origin: unknown }>, ...more: unknown[]): string =>
    JSON.stringify([Object.entries(parts.labels).sort(), parts.origin, ...more.map((each) => each ?? null)]);
  return (
    signature({ labels, origin }, title, fileName, mediaType) ===
    signature(submission, submission.title, submission.fileName, submission.mediaType)
  );
};

/** `at.line` is the number of the current line, from 1. */
async function* recordsOf(lines: AsyncIterable<string>, at: { line: number }): AsyncGenerator<TransferRecord, void> {
  const source = lines[Symbol.asyncIterator]();
  try {
    for (;;) {
      // Before reading: the line may be refused while it is opened.
      at.line += 1;
      const next = await source.next();
      if (next.done) return void (at.line -= 1);
      yield parseInput(transferRecord, jsonOf(next.value));
    }
  } finally {
    await source.return?.();
  }
}

const jsonOf = (line: string): unknown => {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    throw new InvalidValue('body', 'a JSON document in each line', line);
  }
};

/** Adds the line of the error, and the documents that were accepted before it. */
const stoppedBy = (error: unknown, line: number, done: readonly Imported[]): unknown => {
  if (!(error instanceof KnowledgeError)) return error;
  const fault = error instanceof InvalidValue ? error.within(`line ${line}`) : error;
  return done.length === 0 ? fault : new PartlyAccepted(fault, done);
};

/** The remaining records of the current document, up to its end. @throws InvalidValue if the end is missing */
async function* restOf(records: AsyncGenerator<TransferRecord, void>): AsyncGenerator<TransferRecord, void> {
  for (;;) {
    const next = await records.next();
    if (next.done) throw new InvalidValue('body', 'documents that end with "document-end"', 'an incomplete document');
    if (next.value.kind === 'document-end') return;
    if (next.value.kind === 'document') throw new InvalidValue('kind', '"document-end" before the next document', 'document');
    yield next.value;
  }
}

export const lastPosition = (done: readonly Imported[]): Position =>
  done.reduce<Position>((last, each) => ('position' in each && each.position > last ? each.position : last), START);
