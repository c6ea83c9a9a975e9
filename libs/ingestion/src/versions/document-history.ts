import type { Journal } from '@palimpsest/contracts';
import { authorise, assertVisible, type Access } from '@palimpsest/knowledge/access';
import { documentStream } from '@palimpsest/knowledge/deciders';
import { Conflict, NotFound } from '@palimpsest/knowledge/errors';
import type { DocumentFailed, DocumentIndexed, DocumentSubmitted } from '@palimpsest/knowledge/events';
import type { RecordedEvent, StreamName } from '@palimpsest/knowledge/ports';
import { vectorScope, type ChunkListId, type DocumentId, type TenantScope } from '@palimpsest/knowledge/values';

export type Moment = Readonly<{ position: string; at: string }>;
export type ListedVersion = Readonly<{ data: DocumentIndexed['data']; indexed: Moment }>;
export type Version = {
  readonly submission: DocumentSubmitted['data'];
  readonly submitted: Moment;
  failure?: DocumentFailed['data'];
  /** In the order in which they were completed: the list that served is the first. */
  readonly lists: Map<ChunkListId, ListedVersion>;
};

/** A stream that is longer than this is not read for a request. A document has at most 5,000 chunks in a version. */
const MAX_EVENTS = 200_000;

/** Everything that the log has of a document, without the texts of its chunks. */
export type DocumentHistory = Readonly<{
  stream: StreamName;
  place: TenantScope;
  versions: ReadonlyMap<number, Version>;
  /** Set if the document is deleted and no version was submitted since. */
  deletion: Moment | undefined;
  /** The revision of the event with the text of each chunk. */
  textAt: ReadonlyMap<string, number>;
}>;

/** @throws NotFound, also for a document that the caller may not read; Conflict if there is too much to read */
export const readHistory = async (journal: Journal, access: Access, id: DocumentId, maxEvents = MAX_EVENTS): Promise<DocumentHistory> => {
  const stream = documentStream(access.tenant, id);
  const place = await placeOf(journal, access, stream);
  if (!place) throw new NotFound('document', id);
  const versions = new Map<number, Version>();
  const textAt = new Map<string, number>();
  let deletion: Moment | undefined;
  let read = 0;
  for await (const recorded of journal.log.readStream(stream)) {
    if (++read > maxEvents) throw new Conflict(`the document has more than ${maxEvents} events, which are not read for one request`);
    if (recorded.type === 'KnowledgeChunkIndexed') textAt.set(String(recorded.data['chunkId']), recorded.revision);
    else if (DECODED.has(recorded.type)) {
      deletion = recorded.type === 'DocumentDeleted' ? momentOf(recorded) : deletion;
      if (recorded.type === 'DocumentSubmitted') deletion = undefined;
      await note(journal, recorded, versions);
    }
  }
  return { stream, place, versions, deletion, textAt };
};

const DECODED: ReadonlySet<string> = new Set(['DocumentSubmitted', 'DocumentIndexed', 'DocumentFailed', 'DocumentDeleted']);

const note = async (journal: Journal, recorded: RecordedEvent, versions: Map<number, Version>): Promise<void> => {
  const { event } = await journal.decode(recorded);
  switch (event.type) {
    case 'DocumentSubmitted':
      versions.set(event.data.version, { submission: event.data, submitted: momentOf(recorded), lists: new Map() });
      return;
    case 'DocumentIndexed':
      versions.get(event.data.version)?.lists.set(event.data.chunkList, { data: event.data, indexed: momentOf(recorded) });
      return;
    case 'DocumentFailed': {
      const failed = versions.get(event.data.version);
      if (failed) failed.failure = event.data;
      return;
    }
    default:
      return;
  }
};

const momentOf = ({ position, recordedAt }: RecordedEvent): Moment => ({ position: String(position), at: recordedAt });

/** A document belongs to one scope permanently, so its first event decides. Undefined if the caller may not read it. */
const placeOf = async (journal: Journal, access: Access, stream: StreamName): Promise<TenantScope | undefined> => {
  for await (const { metadata } of journal.log.readStream(stream, { limit: 1 })) {
    const { tenant, scope } = metadata;
    if (tenant !== access.tenant || typeof scope !== 'string') return undefined;
    const [permitted] = authorise(access, [vectorScope(scope)]);
    return permitted && assertVisible(access, permitted);
  }
  return undefined;
};
