import { appendable } from './appendable.ts';
import { decodePositions, encodePositions } from './encoded-positions.ts';
import type { Journal, Loaded } from './journal.ts';
import { document, documentStream } from '@palimpsest/knowledge/deciders';
import { Conflict } from '@palimpsest/knowledge/errors';
import type { DocumentEvent, EventMetadata, Fact } from '@palimpsest/knowledge/events';
import { DocumentPast, type KeptEvent, type RemovableHistory } from '@palimpsest/knowledge/history';
import type { StreamName } from '@palimpsest/knowledge/ports';
import { START, type DocumentId, type Position, type TenantScope } from '@palimpsest/knowledge/values';

type Document = ReturnType<typeof document.initial>;
type Read = Readonly<{ past: DocumentPast; loaded: Loaded<Document> }>;

/** Characters of a list that fits into one event with everything else. A document with more is left as it is. */
const MAX_LIST = 600_000;

/**
 * `left`: it is being processed, was changed at the same time, has too much, or a vector after `upTo` replaces an earlier refusal of a model.
 * `none`: it has no old history.
 */
export type RemovedHistory = 'removed' | 'left' | 'none';

type Ports = Readonly<{
  journal: Journal;
  now: () => string;
  /** Called before the events are removed, with uploads that no version has any more. */
  removeUploads: (uploads: readonly string[]) => Promise<void>;
}>;

/**
 * Removes what a document was before `upTo` from the log. What its later versions need of it is repeated first, and the removal is
 * recorded before anything is gone; so it can be repeated after a kill at any point.
 */
export const removeDocumentHistory = async (
  { journal, now, removeUploads }: Ports,
  { tenant, scope, id }: TenantScope & Readonly<{ id: DocumentId }>,
  upTo: Position,
): Promise<RemovedHistory> => {
  const stream = documentStream(tenant, id);
  const place = { stream, id, metadata: { tenant, scope, actor: 'history', correlationId: 'history' } };
  const { past, loaded } = await read(journal, stream);
  const removable = past.removable(upTo);
  if (removable === undefined) return 'none';
  if (removable === 'later') return 'left';
  const positions = encodePositions(START, listed(removable));
  if (positions.length > MAX_LIST) return 'left';
  try {
    await record(journal, place, removable, { loaded, now, positions });
  } catch (error) {
    if (error instanceof Conflict) return 'left';
    throw error;
  }
  await removeUploads(await unused(journal, stream, removable));
  await journal.log.truncate(stream, removable.before);
  return 'removed';
};

const read = async (journal: Journal, stream: StreamName): Promise<Read> => {
  const past = new DocumentPast();
  let loaded: Loaded<Document> = { state: document.initial(), revision: 'no-stream', position: START };
  for await (const fact of journal.readStream(stream)) {
    const { event, revision, position, metadata } = fact as Fact<DocumentEvent>;
    past.add(fact as Fact<DocumentEvent>);
    const { subject } = metadata;
    loaded = { state: document.evolve(loaded.state, event, revision), revision, position, ...(subject === undefined ? {} : { subject }) };
  }
  return { past, loaded };
};

type Place = Readonly<{ stream: StreamName; id: DocumentId; metadata: EventMetadata }>;

/** @throws Conflict if the document is being processed, or was changed meanwhile */
const record = async (
  journal: Journal,
  { stream, id, metadata }: Place,
  removable: RemovableHistory,
  { loaded: known, now, positions }: Readonly<{ loaded: Loaded<Document>; now: () => string; positions: string }>,
): Promise<void> => {
  const { before, version, uploads, kept } = removable;
  let loaded = known;
  for await (const events of keptOf(journal, stream, removable))
    for (const group of appendable(events))
      loaded = await journal.execute(document, stream, { type: 'KeepContents', documentId: id, events: group }, metadata, loaded);
  const removal = {
    ...{ version, before, removedUpTo: String(removable.positions.at(-1) ?? START), records: removable.positions.length },
    ...{ positions, kept, uploads: uploads.length },
  };
  await journal.execute(document, stream, { type: 'RemoveHistory', documentId: id, removal, now: now() }, metadata, loaded);
};

/** With what earlier removals list: their events are removed, too, and their lists would be lost. */
const listed = ({ positions, earlier }: RemovableHistory): readonly Position[] =>
  [...new Set([...positions, ...earlier.flatMap((list) => decodePositions(START, list))])].sort((a, b) => (a < b ? -1 : 1));

/** Events that are read before they are appended: about a megabyte. */
const TOGETHER = 128;

async function* keptOf(journal: Journal, stream: StreamName, { keep }: RemovableHistory): AsyncGenerator<readonly KeptEvent[]> {
  const [from, last] = [keep[0], keep.at(-1)];
  if (from === undefined || last === undefined) return;
  const wanted = new Set(keep);
  let found: KeptEvent[] = [];
  for await (const { event, revision } of journal.readStream(stream, { from })) {
    if (revision > last) break;
    if (!wanted.has(revision)) continue;
    found.push({ ...event, data: { keptFrom: revision, ...(event as KeptEvent).data } } as KeptEvent);
    if (found.length < TOGETHER) continue;
    yield found;
    found = [];
  }
  if (found.length > 0) yield found;
}

/** Without those of a version that was submitted since the removal was planned. */
const unused = async ({ log }: Journal, stream: StreamName, { uploads, before }: RemovableHistory): Promise<readonly string[]> => {
  if (uploads.length === 0) return uploads;
  const used = new Set<string>();
  for await (const { type, data } of log.readStream(stream, { from: before }))
    if (type === 'DocumentSubmitted') used.add(String(data['blob']));
  return uploads.filter((upload) => !used.has(upload));
};
