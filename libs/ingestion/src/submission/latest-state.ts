import type { Journal, Loaded } from '@palimpsest/contracts';
import { document as decider, START, type Document, type DocumentEvent, type DomainEvent, type Fact, type StreamName } from '@palimpsest/knowledge';

/** How far back is looked, in events: at once for the usual case, then for documents that were skipped many times. */
const REACHES = [2, 64];

/**
 * A document's state, as far as a new submission depends on it. `DocumentIndexed` says all that is needed, so of a document that
 * is indexed only the end of its stream is read, not the chunks before it. Of any other, the whole stream.
 */
export const latestState = async (journal: Journal, stream: StreamName): Promise<Loaded<Document>> => {
  for (const limit of REACHES) {
    const tail = await endOf(journal, stream, limit);
    if (tail) return fold(tail);
  }
  return journal.load(decider, stream);
};

/** The events from the last `DocumentIndexed` on, if nothing but skips came after it. */
const endOf = async (journal: Journal, stream: StreamName, limit: number): Promise<readonly Fact<DomainEvent>[] | undefined> => {
  const tail: Fact<DomainEvent>[] = [];
  for await (const fact of journal.readStream(stream, { direction: 'backwards', limit })) {
    tail.unshift(fact);
    if (fact.event.type === 'DocumentIndexed') return tail;
    if (fact.event.type !== 'DocumentSkipped') return undefined;
  }
  return undefined;
};

const fold = (tail: readonly Fact<DomainEvent>[]): Loaded<Document> =>
  tail.reduce<Loaded<Document>>(
    ({ state }, { event, revision, position }) => ({ state: decider.evolve(state, event as DocumentEvent, revision), revision, position }),
    { state: decider.initial(), revision: 'no-stream', position: START },
  );
