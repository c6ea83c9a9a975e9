import { documentIdOf, sealBlob, sealing, type Executed, type Journal } from '@palimpsest/contracts';
import { document as decider, documentStream } from '@palimpsest/knowledge/deciders';
import { Corrupt, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { blobKey } from '@palimpsest/knowledge/ports';
import { checkLabels, labelsFor, satisfies, type Access } from '@palimpsest/knowledge/access';
import type { Document } from '@palimpsest/knowledge/deciders';
import type { DocumentEvent, Submission } from '@palimpsest/knowledge/events';
import type { QuotaPolicy, Reservation } from '@palimpsest/knowledge/limits';
import type { BlobKey, BlobStore, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { Sealing, SubjectId, SubjectKey } from '@palimpsest/knowledge/subjects';
import type { Digest, DocumentId, KnowledgeBaseId, Labels, Origin, Position, SourceId, TenantId } from '@palimpsest/knowledge/values';
import type { Backlog } from '../backlog.ts';
import { checksumOf, fingerprintOf, plainChecksumOf, plainFingerprintOf } from '../identities.ts';
import type { KnowledgeBases } from '../knowledge-bases/knowledge-bases.ts';
import { latestState } from './latest-state.ts';

export type NewDocument = Readonly<{
  knowledgeBase: KnowledgeBaseId;
  sourceId: SourceId;
  bytes: Uint8Array;
  title?: string;
  fileName?: string;
  mediaType?: string;
  labels: Labels;
  origin: Origin;
  /** The person whom the document is about: it can be erased with everything else about them. Part of the identity of the document. */
  subject?: SubjectId;
  /** An existing document with this knowledge base and source; it stays about the same person. */
  id?: DocumentId;
  /** Process the document even if nothing changed. */
  force?: boolean;
  /** Refuse with Conflict unless this is the latest version. */
  onlyIfVersion?: number;
}>;

export type Submitted = Readonly<{
  documentId: DocumentId;
  sourceId: SourceId;
  version: number;
  status: 'accepted' | 'skipped';
  /** Why the same bytes could not be indexed before, if the document was skipped for that reason. */
  failure?: Readonly<{ reason: string; detail: string }>;
  position: Position;
}>;

type Stores = Readonly<{
  journal: Journal;
  blobs: BlobStore;
  keys: ScopeKeys;
  backlog: Backlog;
  knowledgeBases: KnowledgeBases;
  quotaPolicy: QuotaPolicy;
  maxBytes: number;
  now: () => string;
}>;

/** Accepted means durable: the sealed blob is in the store and `DocumentSubmitted` on the log before this returns. */
export class SubmitDocument {
  readonly #stores: Stores;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** @throws InvalidValue, NotFound, Conflict, Forbidden; QuotaExceeded, Overloaded before anything was accepted */
  async run(access: Access, input: NewDocument, correlationId: string): Promise<Submitted> {
    const { journal, keys, knowledgeBases, maxBytes } = this.#stores;
    if (input.bytes.length === 0) throw new InvalidValue('file', 'at least one byte', 'an empty file');
    if (input.bytes.length > maxBytes) throw new InvalidValue('file', `at most ${maxBytes} bytes`, `${input.bytes.length} bytes`);
    const { scope, settings, documentIds } = await knowledgeBases.accepting(access, input.knowledgeBase, correlationId);
    const labels = labelsFor(input.labels, access.requiredLabels);
    checkLabels(labels, settings.fields);
    const { subject, key } = await this.#about(access.tenant, input);
    const of = sealing({ tenant: access.tenant, scope }, key);
    const cipher = await keys.cipher(of);
    const { knowledgeBase, sourceId, title, fileName, mediaType, origin } = input;
    const source = { tenant: access.tenant, knowledgeBase, sourceId, documentIds, ofSubject: key !== undefined };
    const id = input.id ?? (await documentIdOf(journal, cipher, source));
    const plainChecksum = plainChecksumOf(input.bytes);
    const checksum = checksumOf(cipher, plainChecksum);
    const earlierFingerprint = plainFingerprintOf({
      checksum: plainChecksum,
      labels,
      origin,
      title,
      fileName,
      mediaType,
      chunking: settings.chunking,
    });
    const submission: Submission = {
      knowledgeBase,
      sourceId,
      labels,
      origin,
      checksum,
      bytes: input.bytes.length,
      ...(title === undefined ? {} : { title }),
      ...(fileName === undefined ? {} : { fileName }),
      ...(mediaType === undefined ? {} : { mediaType }),
      blob: blobKey(`documents/${access.tenant}/${id}/${checksum}`),
      fingerprint: fingerprintOf(cipher, earlierFingerprint),
      ...(subject === undefined ? {} : { subject }),
    };
    return this.#submit(access, of, id, submission, { ...input, earlierFingerprint }, correlationId);
  }

  /** Whom the document is about. @throws InvalidValue if an existing document is about someone else */
  async #about(tenant: TenantId, { id, subject }: NewDocument): Promise<Readonly<{ subject?: SubjectId; key?: SubjectKey }>> {
    const { journal, keys } = this.#stores;
    if (id === undefined) return subject === undefined ? {} : { subject, key: await keys.subjects.of(tenant, subject) };
    for await (const { event, metadata } of journal.readStream(documentStream(tenant, id), { limit: 1 })) {
      const known = event.type === 'DocumentSubmitted' ? event.data.subject : await this.#withKey(tenant, subject, metadata.subject);
      if (subject !== undefined && subject !== known)
        throw new InvalidValue('subject', 'the person whom the document is about, which does not change', 'another one');
      return { ...(known === undefined ? {} : { subject: known }), ...(metadata.subject === undefined ? {} : { key: metadata.subject }) };
    }
    return {};
  }

  /** The person if this is their key: of a document whose history was removed, only the key is known. */
  async #withKey(tenant: TenantId, subject: SubjectId | undefined, key: SubjectKey | undefined): Promise<SubjectId | undefined> {
    if (subject === undefined || key === undefined) return undefined;
    return (await this.#stores.keys.subjects.find(tenant, subject)) === key ? subject : undefined;
  }

  /** Retries the latest version, as a new version with the same bytes. @throws NotFound, Conflict */
  async retry(access: Access, id: DocumentId, correlationId: string): Promise<Submitted> {
    const { state, subject } = await this.#stores.journal.load(decider, documentStream(access.tenant, id));
    const submission = state.submission;
    if (!submission || !satisfies(submission.labels, access.requiredLabels)) throw new NotFound('document', id);
    const { scope } = await this.#stores.knowledgeBases.retrying(access, submission.knowledgeBase);
    return this.#submit(access, sealing({ tenant: access.tenant, scope }, subject), id, submission, { force: true }, correlationId);
  }

  async #submit(
    access: Access,
    of: Sealing,
    documentId: DocumentId,
    submission: Submission,
    options: Readonly<{ bytes?: Uint8Array; earlierFingerprint?: Digest; force?: boolean; onlyIfVersion?: number }>,
    correlationId: string,
  ): Promise<Submitted> {
    const { journal, now } = this.#stores;
    const { force = false, earlierFingerprint, onlyIfVersion } = options;
    const stream = documentStream(access.tenant, documentId);
    const command = {
      type: 'Submit' as const,
      documentId,
      submission,
      force,
      now: now(),
      ...(earlierFingerprint === undefined ? {} : { earlierFingerprint }),
      ...(onlyIfVersion === undefined ? {} : { onlyIfVersion }),
      ...(access.requiredLabels === undefined ? {} : { required: access.requiredLabels }),
    };
    // The end of the stream may be a chunk list of an earlier version, with other labels than the one in progress. Old logs do not say so.
    const loaded = access.requiredLabels === undefined ? await latestState(journal, stream) : await journal.load(decider, stream);
    // Decide first: a skipped document needs neither the store nor a place in the queue.
    const leadsToWork = decider.decide(command, loaded.state).some(({ type }) => type === 'DocumentSubmitted');
    const slot = leadsToWork ? await this.#reserve(access.tenant, documentId, submission.bytes) : undefined;
    try {
      const { bytes } = leadsToWork ? options : {};
      const wasThere = bytes !== undefined && !(await this.#store(of, submission, bytes));
      const metadata = { ...of, actor: access.actor, correlationId };
      const executed = await journal.execute(decider, stream, command, metadata, loaded);
      // Until this event, it may have been removed with the history of the version that had it.
      if (wasThere) await this.#store(of, submission, bytes);
      slot?.commit(executed.position);
      return submitted(documentId, submission, executed);
    } catch (error) {
      slot?.release();
      throw error;
    }
  }

  /** Reserves the tenant's quota, then a place in the shared queue. */
  async #reserve(tenant: TenantId, id: DocumentId, bytes: number): Promise<Reservation> {
    const { quotaPolicy, backlog } = this.#stores;
    const quota = await quotaPolicy.reserveDocument(tenant, id, bytes);
    try {
      const slot = await backlog.reserve();
      return {
        commit: (at) => (quota.commit(at), slot.commit(at)),
        release: () => (quota.release(), slot.release()),
      };
    } catch (error) {
      quota.release();
      throw error;
    }
  }

  /** Returns false if it was stored before. */
  async #store(of: Sealing, { blob }: Submission, bytes: Uint8Array): Promise<boolean> {
    const { blobs, keys } = this.#stores;
    if (await isSound(blobs, blob)) return false;
    await blobs.put(blob, sealBlob(await keys.cipher(of), blob, bytes));
    return true;
  }
}

/** A damaged blob counts as missing: it is written again, since the caller has just sent the right bytes. */
const isSound = async (blobs: BlobStore, blob: BlobKey): Promise<boolean> => {
  try {
    return (await blobs.exists(blob)) && (await blobs.get(blob)) !== undefined;
  } catch (error) {
    if (error instanceof Corrupt) return false;
    throw error;
  }
};

const submitted = (
  documentId: DocumentId,
  { sourceId }: Submission,
  { state, events, position }: Executed<Document, DocumentEvent>,
): Submitted => ({
  documentId,
  sourceId,
  position,
  version: state.version,
  status: events.some(({ type }) => type === 'DocumentSkipped') ? 'skipped' : 'accepted',
  ...(state.failure === undefined ? {} : { failure: state.failure }),
});
