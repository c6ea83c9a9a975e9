import { sealedForRecord, type Journal } from '@palimpsest/contracts';
import { authorise, assertVisible, type Access } from '@palimpsest/knowledge/access';
import { documentStream } from '@palimpsest/knowledge/deciders';
import { Conflict, NotFound } from '@palimpsest/knowledge/errors';
import type { RecordedEvent, StreamName } from '@palimpsest/knowledge/ports';
import type { Sealing } from '@palimpsest/knowledge/subjects';
import { DEFAULT_CHUNK_LIST, vectorScope, type ChunkListId, type DocumentId } from '@palimpsest/knowledge/values';

export type Moment = Readonly<{ position: string; at: string }>;
/** Where an event is in the stream of the document. */
export type Recorded = Moment & Readonly<{ revision: number }>;
export type Version = {
  readonly submitted: Recorded;
  failed?: Recorded;
  /** In the order in which they were completed: the list that served is the first. */
  readonly lists: Map<ChunkListId, Recorded>;
};

/** A stream that is longer than this is not read for a request. A version has at most 5,000 chunks. */
export const MAX_EVENTS = 200_000;

/** Where everything is on the stream of a document. No event is decoded or kept: the stream can be far larger than the memory. */
export type DocumentHistory = Readonly<{
  stream: StreamName;
  /** Where it is, and whom it is about. */
  place: Sealing;
  /** The first event that is on the log. Those before it were removed. */
  first: Recorded;
  versions: ReadonlyMap<number, Version>;
  /** Set if the document is deleted and no version was submitted since. */
  deletion: Recorded | undefined;
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
  let [deletion, first]: (Recorded | undefined)[] = [];
  let read = 0;
  for await (const event of journal.log.readStream(stream)) {
    if (++read > maxEvents) throw new Conflict(`the document has more than ${maxEvents} events, which are not read for one request`);
    first ??= recordedAt(event);
    if (event.type === 'KnowledgeChunkIndexed') textAt.set(String(event.data['chunkId']), event.revision);
    else if (event.type === 'DocumentDeleted') deletion = recordedAt(event);
    else note(event, versions);
    if (event.type === 'DocumentSubmitted') deletion = undefined;
  }
  if (first === undefined) throw new NotFound('document', id);
  return { stream, place, first, versions, deletion, textAt };
};

/** The fields that are read here are not sealed, and are the same in every schema version. Only the first had no chunk lists. */
const note = (event: RecordedEvent, versions: Map<number, Version>): void => {
  const { version: number, chunkList = DEFAULT_CHUNK_LIST } = event.data as Readonly<{ version: number; chunkList?: ChunkListId }>;
  if (event.type === 'DocumentSubmitted') versions.set(number, { submitted: recordedAt(event), lists: new Map() });
  const version = versions.get(number);
  if (event.type === 'DocumentIndexed') version?.lists.set(chunkList, recordedAt(event));
  if (event.type === 'DocumentFailed' && version) version.failed = recordedAt(event);
};

const recordedAt = ({ position, recordedAt: at, revision }: RecordedEvent): Recorded => ({ position: String(position), at, revision });

/** A document belongs to one scope permanently, so its first event decides. Undefined if the caller may not read it. */
const placeOf = async (journal: Journal, access: Access, stream: StreamName): Promise<Sealing | undefined> => {
  for await (const first of journal.log.readStream(stream, { limit: 1 })) {
    const { tenant, scope } = first.metadata;
    if (tenant !== access.tenant || typeof scope !== 'string') return undefined;
    const [permitted] = authorise(access, [vectorScope(scope)]);
    return permitted && assertVisible(access, sealedForRecord(first) ?? permitted);
  }
  return undefined;
};
