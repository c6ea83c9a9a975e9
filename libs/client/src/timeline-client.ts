import { path } from './transport.ts';
import type { CallOptions } from './call-options.ts';
import type { Transport } from './transport.ts';
import type { TimelineEntry, TimelinePage } from '@palimpsest/contracts/http';
import type { TimelineQuery } from './requests.ts';
import { REQUEST_LIMITS } from './request-limits.ts';

/** What happened in a scope (`client.timeline`). */
export class TimelineClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(scope: string, query: TimelineQuery = {}, { signal }: CallOptions = {}): Promise<TimelinePage> {
    return this.#transport.send({ method: 'GET', path: path`/v1/scopes/${scope}/timeline`, query, signal });
  }

  /** Every entry, newest first, page by page. */
  async *listAll(scope: string, query: Omit<TimelineQuery, 'cursor'> = {}, options: CallOptions = {}): AsyncGenerator<TimelineEntry> {
    let cursor: string | undefined;
    do {
      const page: TimelinePage = await this.list(scope, { limit: REQUEST_LIMITS.page.events, ...query, cursor }, options);
      yield* page.entries;
      cursor = page.next;
    } while (cursor !== undefined);
  }
}
