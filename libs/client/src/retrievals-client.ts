import type { LineageReceipt, ReplayedWindow, ReplayResult } from '@palimpsest/contracts/http';
import type { CallOptions } from './call-options.ts';
import type { LineageRequest, ReplayRequest, ReplayWindowRequest } from './requests.ts';
import { joined, type ReplayedSearches } from './replay-pages.ts';
import { path } from './transport.ts';
import type { Transport } from './transport.ts';

/** Searches of one request of a window: each runs two or three times. */
const PAGE = 20;

/** `onPage`: called with all that is known so far. */
export type WindowOptions = CallOptions & Readonly<{ onPage?: (searches: ReplayedSearches) => void }>;

/** Past searches (`client.retrievals`). */
export class RetrievalsClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Runs a past search again as it was and, with `against`, compares it with another one. Nothing is recorded and nothing changes. */
  replay(traceId: string, request: ReplayRequest = {}, { signal }: CallOptions = {}): Promise<ReplayResult> {
    return this.#transport.send({ method: 'POST', path: path`/v1/retrievals/${traceId}/replay`, json: request, signal });
  }

  /** Replays many past searches, the newest first, and compares each with `against`; default, the same search now. */
  replayMany(request: ReplayWindowRequest = {}, { signal }: CallOptions = {}): Promise<ReplayedWindow> {
    return this.#transport.send({ method: 'POST', path: '/v1/retrievals/replay', json: request, signal });
  }

  /** The same page by page, for at most `max` searches, those that cannot be replayed included. */
  async replayWindow(
    { max, ...request }: Omit<ReplayWindowRequest, 'limit' | 'cursor'> & Readonly<{ max: number }>,
    { signal, onPage }: WindowOptions = {},
  ): Promise<ReplayedSearches> {
    const pages: ReplayedWindow[] = [];
    for (let [read, cursor]: [number, string | undefined] = [0, undefined]; ;) {
      const page = await this.replayMany({ ...request, limit: Math.min(PAGE, max - read), cursor }, { signal });
      pages.push(page);
      [read, cursor] = [read + page.retrievals.length + page.skipped.length, page.next];
      const searches = joined(pages);
      onPage?.(searches);
      if (cursor === undefined || read >= max) return searches;
    }
  }

  /** A signed receipt of where the results of a past search came from; `chunk`: only this result. */
  receipt(traceId: string, request: LineageRequest = {}, { signal }: CallOptions = {}): Promise<LineageReceipt> {
    return this.#transport.send({ method: 'POST', path: path`/v1/retrievals/${traceId}/receipt`, json: request, signal });
  }
}
