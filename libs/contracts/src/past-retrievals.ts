import { retrievalStream } from '@palimpsest/knowledge/deciders';
import type { RetrievalRecordData } from '@palimpsest/knowledge/events';
import type { RecordedEvent } from '@palimpsest/knowledge/ports';
import type { KnowledgeBaseId, TenantId, VectorScope } from '@palimpsest/knowledge/values';
import { firstRevision } from './first-revision.ts';
import type { Journal } from './journal.ts';
import { spanOf, type TimeSpan } from './time-span.ts';

/**
 * Past retrievals of a tenant, by when they were recorded. `scopes`: only those that searched one of them. `knowledgeBase`: only those that
 * searched it, by its name or with its whole scope.
 */
export type RetrievalWindow = TimeSpan &
  Readonly<{ scopes?: readonly VectorScope[]; knowledgeBase?: Readonly<{ id: KnowledgeBaseId; scope: VectorScope }> }>;

/** `maxRead`: events that are read at most. `from`: where an earlier reading stopped. `isVisible`: asked before an event is decoded. */
type Reading = Readonly<{ maxRead: number; from?: number; isVisible?: (event: RecordedEvent) => boolean }>;

/** Reads the retrieval records of a window, the newest first. Replays and the gate of a swap read them with this. */
export class PastRetrievals implements AsyncIterable<RetrievalRecordData> {
  readonly #journal: Journal;
  readonly #tenant: TenantId;
  readonly #window: RetrievalWindow;
  readonly #reading: Reading;
  #next: number | undefined;

  constructor(journal: Journal, tenant: TenantId, window: RetrievalWindow, reading: Reading) {
    this.#journal = journal;
    this.#tenant = tenant;
    this.#window = window;
    this.#reading = reading;
  }

  /** Where another reading goes on; undefined once the whole window was read. */
  get next(): number | undefined {
    return this.#next;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<RetrievalRecordData> {
    const { log } = this.#journal;
    const { maxRead, isVisible = () => true } = this.#reading;
    const stream = retrievalStream(this.#tenant);
    const { after, before } = await spanOf(log, this.#window);
    const end = before === undefined ? undefined : (await firstRevision(log, stream, ({ position }) => position >= before)) - 1;
    const from = Math.min(this.#reading.from ?? Infinity, end ?? Infinity);
    if (from < 0) return;
    let read = 0;
    const newestFirst = { direction: 'backwards', limit: maxRead, ...(from === Infinity ? {} : { from }) } as const;
    for await (const event of log.readStream(stream, newestFirst)) {
      this.#next = undefined;
      if (after !== undefined && event.position <= after) return;
      read++;
      // A reader that stops at this event goes on with the one before it.
      this.#next = event.revision === 0 ? undefined : event.revision - 1;
      if (event.type !== 'KnowledgeRetrieved' || !isVisible(event)) continue;
      const record = (await this.#journal.decode(event)).event.data as RetrievalRecordData;
      if (isIn(this.#window, record)) yield record;
    }
    if (read < maxRead) this.#next = undefined;
  }
}

const isIn = ({ scopes, knowledgeBase }: RetrievalWindow, record: RetrievalRecordData): boolean =>
  (scopes === undefined || record.generations.some(({ scope }) => scopes.includes(scope))) &&
  (knowledgeBase === undefined ||
    (record.knowledgeBases?.includes(knowledgeBase.id) ?? record.permittedScopes.includes(knowledgeBase.scope)));
