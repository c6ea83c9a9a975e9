import { knowledgeBaseStream } from '@palimpsest/knowledge/deciders';
import type { EventLog, RecordedEvent, StreamName } from '@palimpsest/knowledge/ports';
import type { KnowledgeBaseId, TenantId } from '@palimpsest/knowledge/values';
import { LRUCache } from 'lru-cache';
import { categoryOf } from './event-visibility.ts';

const MAX_CACHED = 20_000;

/** Finds the knowledge base of an event. Of a document's events only submissions name it; the first one is valid for all. */
export class KnowledgeBaseOf {
  readonly #log: Pick<EventLog, 'readStream'>;
  readonly #known = new LRUCache<StreamName, string>({ max: MAX_CACHED });

  constructor(log: Pick<EventLog, 'readStream'>) {
    this.#log = log;
  }

  async is(event: RecordedEvent, tenant: TenantId, id: KnowledgeBaseId): Promise<boolean> {
    if (categoryOf(event) !== 'document') return event.stream === knowledgeBaseStream(tenant, id);
    return (await this.#ofDocument(event)) === id;
  }

  async #ofDocument({ stream, data }: RecordedEvent): Promise<string | undefined> {
    const known = typeof data['knowledgeBase'] === 'string' ? data['knowledgeBase'] : this.#known.get(stream);
    if (known !== undefined) return known;
    for await (const first of this.#log.readStream(stream, { limit: 1 })) {
      const found = first.data['knowledgeBase'];
      if (typeof found !== 'string') return undefined;
      this.#known.set(stream, found);
      return found;
    }
    return undefined;
  }
}
