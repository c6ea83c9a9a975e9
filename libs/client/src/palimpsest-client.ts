import { DocumentsClient } from './documents-client.ts';
import { EventsClient } from './events-client.ts';
import { KnowledgeBasesClient } from './knowledge-bases-client.ts';
import { OperationsClient } from './operations-client.ts';
import { DEFAULT_RETRY } from './retry.ts';
import { TenantsClient } from './tenants-client.ts';
import { TransferClient } from './transfer-client.ts';
import { Transport } from './transport.ts';
import type { CallOptions } from './call-options.ts';
import type { RetryNotice } from './transport.ts';
import type { CallerView } from './views/caller.ts';
import type { ContextRequest, ContextResult, SearchRequest, SearchResult } from './views/search.ts';
import type { StatusView } from './views/operations.ts';
import { waitForAll, waitForDocuments } from './wait-for.ts';
import type { Awaited, WaitOptions, WaitResult } from './wait-for.ts';

export type ClientOptions = Readonly<{
  /** Where the server is: `http://127.0.0.1:7330`; may hold a path. */
  url: string;
  apiKey?: string | undefined;
  /** For tests and proxies; default the global one. */
  fetch?: typeof fetch | undefined;
  /** How often a request that was refused for load (429, 503) is sent again; default 5. */
  retries?: number | undefined;
  onRetry?: ((notice: RetryNotice) => void) | undefined;
}>;

/**
 * The HTTP interface of a Palimpsest server, typed.
 * Every method takes an abort signal, and rejects with ProblemError (the server refused) or ConnectionError (no answer).
 */
export class PalimpsestClient {
  readonly knowledgeBases: KnowledgeBasesClient;
  readonly documents: DocumentsClient;
  readonly events: EventsClient;
  readonly operations: OperationsClient;
  readonly tenants: TenantsClient;
  readonly transfer: TransferClient;
  readonly #transport: Transport;

  constructor({ url, apiKey, fetch: send = fetch, retries = DEFAULT_RETRY.retries, onRetry }: ClientOptions) {
    this.#transport = new Transport({ url, apiKey, fetch: send, retry: { ...DEFAULT_RETRY, retries }, onRetry });
    this.knowledgeBases = new KnowledgeBasesClient(this.#transport);
    this.documents = new DocumentsClient(this.#transport);
    this.events = new EventsClient(this.#transport);
    this.operations = new OperationsClient(this.#transport);
    this.tenants = new TenantsClient(this.#transport);
    this.transfer = new TransferClient(this.#transport);
  }

  /** What this client's key stands for. */
  me({ signal }: CallOptions = {}): Promise<CallerView> {
    return this.#transport.send({ method: 'GET', path: '/v1/me', signal });
  }

  search(request: SearchRequest, { signal }: CallOptions = {}): Promise<SearchResult> {
    return this.#transport.send({ method: 'POST', path: '/v1/search', json: request, signal });
  }

  /** The best hits as one text for a prompt, within a token budget, with citations. */
  context(request: ContextRequest, { signal }: CallOptions = {}): Promise<ContextResult> {
    return this.#transport.send({ method: 'POST', path: '/v1/context', json: request, signal });
  }

  /** Resolves when each of these documents is indexed or failed. */
  waitFor(documents: readonly Awaited[], options: WaitOptions = {}): Promise<WaitResult> {
    return waitForDocuments((id) => this.documents.get(id, { signal: options.signal }), documents, options);
  }

  /** Resolves with the counts when no document is pending or being processed any more. */
  waitForAll(options: WaitOptions = {}): Promise<StatusView['documents']> {
    return waitForAll(() => this.operations.status({ signal: options.signal }), options);
  }
}
