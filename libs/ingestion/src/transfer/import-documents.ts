import { parseInput, sealBlob, type Journal } from '@palimpsest/contracts';
import { activeGeneration, document as decider, documentStream, InvalidValue, KnowledgeError, PartlyAccepted, knowledgeBase, knowledgeBaseStream, NotFound, scope as scopeDecider, scopeStream, START } from '@palimpsest/knowledge';
import type { Access, Admission, BlobStore, Document, DocumentId, EmbeddingVersion, KnowledgeBaseId, Position, ScopeKeys, SourceId, TenantScope, VectorScope } from '@palimpsest/knowledge';
import { documentIdOf } from '../identities.ts';
import { isPaused } from '../knowledge-bases/knowledge-bases.ts';
import type { NewDocument, SubmitDocument } from '../submission/submit-document.ts';
import { ImportModelMismatch } from './begin-import.ts';
import { ImportedVersion } from './imported-version.ts';
import { transferable } from './permitted.ts';
import { blobOf, UploadPieces } from './upload-pieces.ts';
import { transferRecord, type DocumentRecord, type TransferRecord } from './transfer-records.ts';

export type ImportOptions = Readonly<{
  /** Hand in every document anew, whatever vectors it has. */
  reembed: boolean;
  /** Of the exported vectors; needed unless they are not wanted. */
  embeddingVersion?: EmbeddingVersion;
  /** Replace a document that is there with other content. */
  overwrite: boolean;
}>;

export type Imported = Readonly<{ documentId: DocumentId; sourceId: SourceId; knowledgeBase: KnowledgeBaseId }> &
  (
    | Readonly<{ status: 'imported' | 'unchanged' | 'kept' | 'accepted'; version: number; position: Position }>
    | Readonly<{ status: 'rejected'; error: KnowledgeError }>
  );

export type ImportStores = Readonly<{
  journal: Journal; blobs: BlobStore; keys: ScopeKeys; submit: SubmitDocument; admission: Admission; maxBytes: number; now: () => string;
}>;

type Context = Readonly<{ access: Access; scope: TenantScope; active: EmbeddingVersion; options: ImportOptions; correlationId: string }>;

/**
 * Takes documents with what was made of them elsewhere: contents first, which nobody sees, then the version with its commit in one
 * append. Cut off anywhere and sent again, it goes on: what is recorded is not recorded twice, what is indexed is left alone.
 */
export class ImportDocuments {
  readonly #stores: ImportStores;

  constructor(stores: ImportStores) {
    this.#stores = stores;
  }

  /** `begin` first: nothing is imported into a scope that is not there. @throws Forbidden, NotFound, Conflict, InvalidValue, Overloaded, RateLimited */
  async run(access: Access, scope: VectorScope, lines: AsyncIterable<string>, options: ImportOptions, correlationId: string): Promise<readonly Imported[]> {
    const permitted = transferable(access, scope);
    await this.#stores.admission.request(access, 'writes');
    const { state } = await this.#stores.journal.load(scopeDecider, scopeStream(permitted));
    const active = activeGeneration(state)?.embeddingVersion;
    if (!active) throw new NotFound('scope', scope);
    if (!options.reembed && options.embeddingVersion !== active)
      throw new ImportModelMismatch(`the export has vectors of ${options.embeddingVersion ?? 'a model that was not named'}, but scope "${scope}" is served by ${active}: import with re-embedding, or into another scope`);
    const context: Context = { access, scope: permitted, active, options, correlationId };
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
    const about = { documentId: documentIdOf(access.tenant, record.knowledgeBase, record.sourceId), sourceId: record.sourceId, knowledgeBase: record.knowledgeBase };
    const found = await this.#found(context, record, about.documentId);
    const rest = restOf(records);
    const done: Imported = found
      ? { ...about, ...found }
      : await (record.indexed && !options.reembed ? this.#import(context, record, about.documentId, rest) : this.#handIn(context, record, rest)).then(
          (outcome) => ({ ...about, ...outcome }),
          (error: unknown) => {
            // What is wrong with one document concerns no other; what is wrong with the request, or passes, does.
            if (error instanceof KnowledgeError && !(error instanceof InvalidValue) && !error.retryable) return { ...about, status: 'rejected' as const, error };
            throw error;
          },
        );
    for await (const _ of rest); // what was not needed
    return done;
  }

  /** What is to be said of a document that need not be imported. @throws NotFound, Conflict when its knowledge base is paused */
  async #found({ access, scope, options }: Context, record: DocumentRecord, id: DocumentId): Promise<Readonly<{ status: 'unchanged' | 'kept'; version: number; position: Position }> | undefined> {
    const { journal } = this.#stores;
    const { state: base } = await journal.load(knowledgeBase, knowledgeBaseStream(access.tenant, record.knowledgeBase));
    if (base.status === 'none' || base.scope !== scope.scope) throw new NotFound('knowledge base', record.knowledgeBase);
    if (base.status === 'paused') throw isPaused(record.knowledgeBase);
    const { state, position } = await journal.load(decider, documentStream(access.tenant, id));
    if (isSame(record, state, options)) return { status: 'unchanged', version: state.version, position };
    const isThere = state.current !== undefined || state.status === 'pending' || state.status === 'processing';
    return isThere && !options.overwrite ? { status: 'kept', version: state.version, position } : undefined;
  }

  /** Within what the tenant may have: so much as the export says that it will be. */
  async #import(context: Context, record: DocumentRecord, id: DocumentId, rest: AsyncGenerator<TransferRecord>) {
    const { admission } = this.#stores;
    const { tenant } = context.access;
    const holds = [await admission.roomForDocument(tenant, id, record.bytes)];
    try {
      holds.push(await admission.roomForChunks(tenant, id, record.indexed?.chunks ?? 0));
      const imported = await this.#importWithin(context, record, id, rest);
      for (const hold of holds) hold.taken(imported.position);
      return imported;
    } catch (error) {
      for (const hold of holds) hold.givenBack();
      throw error;
    }
  }

  async #importWithin({ access, scope, active, correlationId }: Context, record: DocumentRecord, id: DocumentId, rest: AsyncGenerator<TransferRecord>) {
    const { journal, keys, blobs, maxBytes, now } = this.#stores;
    const upload = new UploadPieces(record, maxBytes);
    const cipher = await keys.cipher(scope);
    const stream = documentStream(access.tenant, id);
    const metadata = { ...scope, actor: access.actor, correlationId };
    const version = new ImportedVersion({ journal, stream, metadata, cipher, active, now }, id, record, await journal.load(decider, stream));
    // Not `for await`: it would end the rest at an error, and what is left of the document must still be read past.
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      if (next.value.kind === 'bytes') upload.add(next.value.data);
      else if (next.value.kind === 'chunk') await version.add(next.value);
    }
    const bytes = upload.bytes();
    const key = blobOf(access.tenant, id, record);
    if (bytes && !(await blobs.exists(key))) await blobs.put(key, sealBlob(cipher, key, bytes));
    const { state, position } = await version.commit(key);
    return { status: 'imported' as const, version: state.version, position };
  }

  /** As its owner would: it is parsed, cut and embedded here, and subject to the queue's limits. */
  async #handIn({ access, correlationId, options }: Context, record: DocumentRecord, rest: AsyncGenerator<TransferRecord>) {
    const upload = new UploadPieces(record, this.#stores.maxBytes);
    for (let next = await rest.next(); !next.done; next = await rest.next()) if (next.value.kind === 'bytes') upload.add(next.value.data);
    const bytes = upload.bytes();
    if (!bytes) throw new NotFound('upload of the document in this export', record.sourceId);
    const { knowledgeBase: base, sourceId, title, fileName, mediaType, labels, origin } = record;
    const input: NewDocument = {
      knowledgeBase: base, sourceId, bytes, labels, origin, force: options.overwrite,
      ...(title === undefined ? {} : { title }),
      ...(fileName === undefined ? {} : { fileName }),
      ...(mediaType === undefined ? {} : { mediaType }),
    };
    const { version, position, status } = await this.#stores.submit.runAdmitted(access, input, correlationId);
    return { status: status === 'skipped' ? ('unchanged' as const) : ('accepted' as const), version, position };
  }
}

/** Whether it is there just as it was exported: what was handed in, and, unless it is embedded here, how it was cut. */
const isSame = ({ indexed, checksum, labels, origin, title, fileName, mediaType }: DocumentRecord, { current, submission }: Document, { reembed }: ImportOptions): boolean => {
  if (indexed && current && current.fingerprint === indexed.fingerprint) return true;
  if ((indexed && !reembed) || !submission) return false;
  const said = (parts: Readonly<{ checksum: unknown; labels: Readonly<Record<string, string>>; origin: unknown }>, ...more: unknown[]): string =>
    JSON.stringify([parts.checksum, Object.entries(parts.labels).sort(), parts.origin, ...more.map((each) => each ?? null)]);
  return said({ checksum, labels, origin }, title, fileName, mediaType) === said(submission, submission.title, submission.fileName, submission.mediaType);
};

/** `at.line` follows the line that is read, from 1. */
async function* recordsOf(lines: AsyncIterable<string>, at: { line: number }): AsyncGenerator<TransferRecord, void> {
  for await (const line of lines) {
    at.line += 1;
    yield parseInput(transferRecord, jsonOf(line));
  }
}

const jsonOf = (line: string): unknown => {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    throw new InvalidValue('body', 'a JSON document in each line', line);
  }
};

/** Names the line of what is wrong, and what was accepted before it. */
const stoppedBy = (error: unknown, line: number, done: readonly Imported[]): unknown => {
  if (!(error instanceof KnowledgeError)) return error;
  const fault = error instanceof InvalidValue ? error.within(`line ${line}`) : error;
  return done.length === 0 ? fault : new PartlyAccepted(fault, done);
};

/** What belongs to the document that was begun, up to its end. @throws InvalidValue when it has none */
async function* restOf(records: AsyncGenerator<TransferRecord, void>): AsyncGenerator<TransferRecord, void> {
  for (;;) {
    const next = await records.next();
    if (next.done) throw new InvalidValue('body', 'documents that end with "document-end"', 'a document that is cut off');
    if (next.value.kind === 'document-end') return;
    if (next.value.kind === 'document') throw new InvalidValue('kind', '"document-end" before the next document', 'document');
    yield next.value;
  }
}

export const lastPosition = (done: readonly Imported[]): Position =>
  done.reduce<Position>((last, each) => ('position' in each && each.position > last ? each.position : last), START);
