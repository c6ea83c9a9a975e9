import { DocumentsClient } from './documents-client.ts';
import { EventsClient } from './events-client.ts';
import { FleetsClient } from './fleets-client.ts';
import { GoldenClient } from './golden-client.ts';
import { KnowledgeBasesClient } from './knowledge-bases-client.ts';
import { ModelsClient } from './models-client.ts';
import { OperationsClient } from './operations-client.ts';
import { DEFAULT_RETRY } from './retry.ts';
import { RetrievalsClient } from './retrievals-client.ts';
import { TenantsClient } from './tenants-client.ts';
import { StrategiesClient } from './strategies-client.ts';
import { SwapsClient } from './swaps-client.ts';
import { ErasuresClient } from './erasures-client.ts';
import { TimelineClient } from './timeline-client.ts';
import { TransferClient } from './transfer-client.ts';
import { Transport } from './transport.ts';
import type { CallOptions } from './call-options.ts';
import type { RetryNotice } from './transport.ts';
import type { CallerView, ContextResult, SearchResult, StatusView } from '@palimpsest/contracts/http';
import type { ContextRequest, SearchRequest } from './requests.ts';
import { waitForAll, waitForDocuments } from './wait-for.ts';
import type { Awaited, WaitOptions, WaitResult } from './wait-for.ts';

export type ClientOptions = Readonly<{
  /** Address of the server, for example `http://127.0.0.1:7330`; may include a path. */
  url: string;
  apiKey?: string | undefined;
  /** For tests and proxies. Default: the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** How often a request that was refused under load (429, 503) is retried. Default 5. */
  retries?: number | undefined;
  onRetry?: ((notice: RetryNotice) => void) | undefined;
}>;

/**
 * A typed client for the HTTP API of a Palimpsest server.
 * Every method takes an abort signal, and rejects with ProblemError (the server refused) or ConnectionError (no response).
 */
export class PalimpsestClient {
  readonly knowledgeBases: KnowledgeBasesClient;
  readonly documents: DocumentsClient;
  readonly events: EventsClient;
  readonly fleets: FleetsClient;
  readonly golden: GoldenClient;
  readonly models: ModelsClient;
  readonly operations: OperationsClient;
  readonly retrievals: RetrievalsClient;
  readonly tenants: TenantsClient;
  readonly strategies: StrategiesClient;
  readonly swaps: SwapsClient;
  readonly erasures: ErasuresClient;
  readonly timeline: TimelineClient;
  readonly transfer: TransferClient;
  readonly #transport: Transport;

  constructor({ url, apiKey, fetch: send = fetch, retries = DEFAULT_RETRY.retries, onRetry }: ClientOptions) {
    this.#transport = new Transport({ url, apiKey, fetch: send, retry: { ...DEFAULT_RETRY, retries }, onRetry });
    this.knowledgeBases = new KnowledgeBasesClient(this.#transport);
    this.documents = new DocumentsClient(this.#transport);
    this.events = new EventsClient(this.#transport);
    this.fleets = new FleetsClient(this.#transport);
    this.golden = new GoldenClient(this.#transport);
    this.models = new ModelsClient(this.#transport);
    this.operations = new OperationsClient(this.#transport);
    this.retrievals = new RetrievalsClient(this.#transport);
    this.tenants = new TenantsClient(this.#transport);
    this.strategies = new StrategiesClient(this.#transport);
    this.swaps = new SwapsClient(this.#transport);
    this.erasures = new ErasuresClient(this.#transport);
    this.timeline = new TimelineClient(this.#transport);
    this.transfer = new TransferClient(this.#transport);
  }

  /** The identity of the caller: tenant, teams, user and roles of the API key. */
  me({ signal }: CallOptions = {}): Promise<CallerView> {
    return this.#transport.send({ method: 'GET', path: '/v1/me', signal });
  }

  search(request: SearchRequest, { signal }: CallOptions = {}): Promise<SearchResult> {
    return this.#transport.send({ method: 'POST', path: '/v1/search', json: request, signal });
  }

  /** The best results as one text for a prompt, within a token budget, with citations. */
  context(request: ContextRequest, { signal }: CallOptions = {}): Promise<ContextResult> {
    return this.#transport.send({ method: 'POST', path: '/v1/context', json: request, signal });
  }

  /** Resolves when each of these documents is indexed or failed. */
  waitFor(documents: readonly Awaited[], options: WaitOptions = {}): Promise<WaitResult> {
    return waitForDocuments((id) => this.documents.get(id, { signal: options.signal }), documents, options);
  }

  /** Resolves with the counts when no document is pending or being processed. */
  waitForAll(options: WaitOptions = {}): Promise<StatusView['documents']> {
    return waitForAll(() => this.operations.status({ signal: options.signal }), options);
  }
}
