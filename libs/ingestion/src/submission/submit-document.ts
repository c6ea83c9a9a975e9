import { sealBlob, type Executed, type Journal } from '@palimpsest/contracts';
import { blobKey, Corrupt, document as decider, documentStream, InvalidValue, NotFound, requireRole } from '@palimpsest/knowledge';
import type {
  Access, Admission, BlobKey, BlobStore, Document, DocumentEvent, DocumentId, Hold, KnowledgeBaseId, Labels, Origin, Position, ScopeKeys, SourceId, Submission, TenantId, TenantScope,
} from '@palimpsest/knowledge';
import type { Backlog } from '../backlog.ts';
import { checksumOf, documentIdOf, fingerprintOf } from '../identities.ts';
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
  /** Do the work even if nothing changed. */
  force?: boolean;
  /** Refuse with Conflict unless this is the latest version. */
  onlyIfVersion?: number;
}>;

export type Submitted = Readonly<{
  documentId: DocumentId;
  sourceId: SourceId;
  version: number;
  status: 'accepted' | 'skipped';
  /** Skipped since the same bytes could not be indexed before: why. */
  failure?: Readonly<{ reason: string; detail: string }>;
  position: Position;
}>;

type Stores = Readonly<{
  journal: Journal; blobs: BlobStore; keys: ScopeKeys; backlog: Backlog; knowledgeBases: KnowledgeBases; admission: Admission; maxBytes: number; now: () => string;
}>;

/** Accepted means durable: the sealed blob is in the store and `DocumentSubmitted` on the log before this answers. */
export class SubmitDocument {
  readonly #stores: Stores;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** Once for a request that brings documents, however many. @throws Forbidden, RateLimited */
  async admit(access: Access): Promise<void> {
    requireRole(access, 'writer');
    await this.#stores.admission.request(access, 'writes');
  }

  /** @throws InvalidValue, NotFound, Forbidden, Conflict; RateLimited, QuotaExceeded, Overloaded before anything was accepted */
  async run(access: Access, input: NewDocument, correlationId: string): Promise<Submitted> {
    await this.admit(access);
    return this.runAdmitted(access, input, correlationId);
  }

  /** One document of a request that was let in. */
  async runAdmitted(access: Access, input: NewDocument, correlationId: string): Promise<Submitted> {
    const { knowledgeBases, maxBytes } = this.#stores;
    if (input.bytes.length === 0) throw new InvalidValue('file', 'at least one byte', 'an empty file');
    if (input.bytes.length > maxBytes) throw new InvalidValue('file', `at most ${maxBytes} bytes`, `${input.bytes.length} bytes`);
    const { scope, settings } = await knowledgeBases.accepting(access, input.knowledgeBase, correlationId);
    const id = documentIdOf(access.tenant, input.knowledgeBase, input.sourceId);
    const { title, fileName, mediaType, labels, origin } = input;
    const checksum = checksumOf(input.bytes);
    const submission: Submission = {
      knowledgeBase: input.knowledgeBase, sourceId: input.sourceId, labels, origin, checksum, bytes: input.bytes.length,
      ...(title === undefined ? {} : { title }),
      ...(fileName === undefined ? {} : { fileName }),
      ...(mediaType === undefined ? {} : { mediaType }),
      blob: blobKey(`documents/${access.tenant}/${id}/${checksum}`),
      fingerprint: fingerprintOf({ checksum, labels, origin, title, fileName, mediaType, chunking: settings.chunking }),
    };
    return this.#submit(access, { tenant: access.tenant, scope }, id, submission, input, correlationId);
  }

  /** Tries the latest version again, as a new one of the same bytes. @throws NotFound, Conflict */
  async retry(access: Access, id: DocumentId, correlationId: string): Promise<Submitted> {
    await this.admit(access);
    const { state } = await this.#stores.journal.load(decider, documentStream(access.tenant, id));
    const submission = state.submission;
    if (!submission) throw new NotFound('document', id);
    const { scope } = await this.#stores.knowledgeBases.retrying(access, submission.knowledgeBase);
    return this.#submit(access, { tenant: access.tenant, scope }, id, submission, { force: true }, correlationId);
  }

  async #submit(
    access: Access,
    scope: TenantScope,
    documentId: DocumentId,
    submission: Submission,
    options: Readonly<{ bytes?: Uint8Array; force?: boolean; onlyIfVersion?: number }>,
    correlationId: string,
  ): Promise<Submitted> {
    const { journal, now } = this.#stores;
    const { force = false, onlyIfVersion } = options;
    const stream = documentStream(access.tenant, documentId);
    const command = { type: 'Submit' as const, documentId, submission, force, now: now(), ...(onlyIfVersion === undefined ? {} : { onlyIfVersion }) };
    const loaded = await latestState(journal, stream);
    // Looked at beforehand, since what is skipped needs neither the store nor a place in the queue.
    const leadsToWork = decider.decide(command, loaded.state).some(({ type }) => type === 'DocumentSubmitted');
    const place = leadsToWork ? await this.#place(access.tenant, documentId, submission.bytes) : undefined;
    try {
      if (leadsToWork && options.bytes) await this.#store(scope, submission, options.bytes);
      const metadata = { tenant: scope.tenant, scope: scope.scope, actor: access.actor, correlationId };
      const executed = await journal.execute(decider, stream, command, metadata, loaded);
      place?.taken(executed.position);
      return submitted(documentId, submission, executed);
    } catch (error) {
      place?.givenBack();
      throw error;
    }
  }

  /** Within the tenant's quota, then in the queue of all. */
  async #place(tenant: TenantId, id: DocumentId, bytes: number): Promise<Hold> {
    const { admission, backlog } = this.#stores;
    const hold = await admission.roomForDocument(tenant, id, bytes);
    try {
      const place = await backlog.letIn();
      return {
        taken: (at) => (hold.taken(at), place.taken(at)),
        givenBack: () => (hold.givenBack(), place.givenBack()),
      };
    } catch (error) {
      hold.givenBack();
      throw error;
    }
  }

  async #store(scope: TenantScope, { blob }: Submission, bytes: Uint8Array): Promise<void> {
    const { blobs, keys } = this.#stores;
    if (await isSound(blobs, blob)) return;
    await blobs.put(blob, sealBlob(await keys.cipher(scope), blob, bytes));
  }
}

/** What is damaged is written again: the caller has just sent the right bytes. */
const isSound = async (blobs: BlobStore, blob: BlobKey): Promise<boolean> => {
  try {
    return (await blobs.exists(blob)) && (await blobs.get(blob)) !== undefined;
  } catch (error) {
    if (error instanceof Corrupt) return false;
    throw error;
  }
};

const submitted = (documentId: DocumentId, { sourceId }: Submission, { state, events, position }: Executed<Document, DocumentEvent>): Submitted => ({
  documentId, sourceId, position,
  version: state.version,
  status: events.some(({ type }) => type === 'DocumentSkipped') ? 'skipped' : 'accepted',
  ...(state.failure === undefined ? {} : { failure: state.failure }),
});
