import type { Journal, Loaded } from '@palimpsest/contracts';
import { document as decider, type Document } from '@palimpsest/knowledge/deciders';
import type { DocumentEvent, DomainEvent, Fact } from '@palimpsest/knowledge/events';
import type { StreamName } from '@palimpsest/knowledge/ports';
import { START } from '@palimpsest/knowledge/values';

/** How many events to read backwards: first for the usual case, then for documents that were skipped many times. */
const REACHES = [2, 64];

/**
 * The part of a document's state that a new submission depends on. `DocumentIndexed` contains all of it, so for an indexed document
 * only the end of its stream is read, not the chunks before. For any other document the whole stream is read.
 */
export const latestState = async (journal: Journal, stream: StreamName): Promise<Loaded<Document>> => {
  for (const limit of REACHES) {
    const tail = await endOf(journal, stream, limit);
    if (tail) return fold(tail);
  }
  return journal.load(decider, stream);
};

/** The events since the last `DocumentIndexed`, if only skips and the removal of old history came after it. */
const endOf = async (journal: Journal, stream: StreamName, limit: number): Promise<readonly Fact<DomainEvent>[] | undefined> => {
  const tail: Fact<DomainEvent>[] = [];
  for await (const fact of journal.readStream(stream, { direction: 'backwards', limit })) {
    tail.unshift(fact);
    const { type, data } = fact.event;
    // A list of an earlier version says nothing about the latest one.
    if (type === 'DocumentIndexed') return data.latestVersion === undefined ? tail : undefined;
    if (type !== 'DocumentSkipped' && type !== 'DocumentHistoryRemoved' && !('keptFrom' in data)) return undefined;
  }
  return undefined;
};

const fold = (tail: readonly Fact<DomainEvent>[]): Loaded<Document> =>
  tail.reduce<Loaded<Document>>(
    ({ state }, { event, revision, position, metadata: { subject } }) => ({
      state: decider.evolve(state, event as DocumentEvent, revision),
      revision,
      position,
      ...(subject === undefined ? {} : { subject }),
    }),
    { state: decider.initial(), revision: 'no-stream', position: START },
  );
