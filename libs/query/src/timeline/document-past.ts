import { domainCodec } from '@palimpsest/contracts';
import { HistoryRemoved } from '@palimpsest/knowledge/errors';
import type { DocumentIndexed, DocumentSubmitted, DomainEvent, Fact } from '@palimpsest/knowledge/events';
import type { EventLog, RecordedEvent, ScopeCipher } from '@palimpsest/knowledge/ports';
import type { ScopeHistory } from './scope-history.ts';

export type ChunkCounts = Readonly<{ added: number; removed: number; kept: number }>;
/** `repeated`: the version is an entry already, this event only has another chunk list of it. */
export type IndexedChange = Readonly<{ kind: 'arrived' | 'changed'; chunks: ChunkCounts }> | 'repeated';

/** The latest submission of a document is at most this many events before its failure or deletion, or the first one stands for it. */
const REACH = 64;

/** What came before an event in the stream of its document. */
export class DocumentPast {
  /** Events that were read so far. */
  read = 0;
  readonly #log: EventLog;
  readonly #history: ScopeHistory;

  constructor(log: EventLog, history: ScopeHistory) {
    this.#log = log;
    this.#history = history;
  }

  /**
   * Reads the stream back to the version before only where the event itself leaves it open: between two versions are up to 5,000 chunks.
   */
  async changeOf(fact: Fact<DocumentIndexed>): Promise<IndexedChange> {
    const { version, chunkList, chunks, written, removed } = fact.event.data;
    if (chunkList !== (this.#history.chunkListAt(fact.position) ?? chunkList)) return 'repeated';
    const isFirst = version === 1 && !this.#history.hasSeveralChunkLists;
    if (isFirst) return { kind: 'arrived', chunks: { added: chunks.length, removed: 0, kept: 0 } };
    if (written.length < chunks.length)
      return { kind: 'changed', chunks: { added: written.length, removed: removed.length, kept: chunks.length - written.length } };
    return this.#comparedWithBefore(fact);
  }

  async #comparedWithBefore({ event: { data }, stream, revision }: Fact<DocumentIndexed>): Promise<IndexedChange> {
    const ids = data.chunks.map(({ chunkId }) => chunkId);
    let [kind, first]: ['arrived' | 'changed', number] = ['arrived', revision];
    for await (const earlier of this.#backwards(stream, revision)) {
      first = earlier.revision;
      if (earlier.type === 'DocumentDeleted')
        return { kind: 'arrived', chunks: { added: ids.length, removed: data.removed.length, kept: 0 } };
      if (earlier.type !== 'DocumentIndexed') continue;
      const list = earlier.data['chunkList'] ?? 'default';
      if (earlier.data['version'] === data.version) {
        if (list === (this.#history.chunkListAt(earlier.position) ?? list)) return 'repeated';
        continue;
      }
      kind = 'changed';
      if (list !== data.chunkList) continue;
      const before = new Set((earlier.data['chunks'] as readonly { readonly chunkId: string }[]).map(({ chunkId }) => chunkId));
      const kept = ids.filter((id) => before.has(id)).length;
      return { kind, chunks: { added: ids.length - kept, removed: before.size - kept, kept } };
    }
    // The version before was removed with its history.
    if (first > 0) kind = 'changed';
    return { kind, chunks: { added: ids.length, removed: data.removed.length, kept: 0 } };
  }

  /** What describes the document before a failure or its deletion. */
  async descriptionAt(
    { stream, revision, position }: Fact<DomainEvent>,
    cipher: ScopeCipher,
  ): Promise<Pick<DocumentIndexed['data'], 'knowledgeBase' | 'sourceId' | 'title'>> {
    for await (const earlier of this.#backwards(stream, revision, REACH)) if (describes(earlier)) return descriptionIn(earlier, cipher);
    for await (const first of this.#log.readStream(stream, { limit: 1 })) if (describes(first)) return descriptionIn(first, cipher);
    throw new HistoryRemoved(`what described ${stream} was removed with its history`, String(position));
  }

  async *#backwards(stream: RecordedEvent['stream'], revision: number, limit?: number): AsyncGenerator<RecordedEvent> {
    if (revision === 0) return;
    const options = { from: revision - 1, direction: 'backwards' as const, ...(limit === undefined ? {} : { limit }) };
    for await (const event of this.#log.readStream(stream, options)) {
      this.read += 1;
      yield event;
    }
  }
}

const describes = ({ type }: RecordedEvent): boolean => type === 'DocumentIndexed' || type === 'DocumentSubmitted';

/** As the list of documents shows a document that is not indexed yet. */
const descriptionIn = (recorded: RecordedEvent, cipher: ScopeCipher) => {
  const { event } = domainCodec.decode(recorded, cipher) as Fact<DocumentIndexed | DocumentSubmitted>;
  const { knowledgeBase, sourceId, title } = event.data;
  const fileName = event.type === 'DocumentSubmitted' ? event.data.fileName : undefined;
  return { knowledgeBase, sourceId, title: title ?? fileName ?? sourceId };
};
