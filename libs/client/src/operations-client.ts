import { path } from './transport.ts';
import type { CallOptions } from './call-options.ts';
import type { Transport } from './transport.ts';
import type { AuditEntry, AuditPage, AuditQuery } from './views/audit.ts';
import type { HealthReport, OverviewView } from './views/figures.ts';
import type {
  ApiKeyCreated,
  ApiKeyView,
  DeadLetterQuery,
  DeadLetterView,
  NewApiKey,
  RebuildResult,
  ReembedProgress,
  GenerationRetired,
  ReembedStarted,
  StatusView,
  VerifyResult,
} from './views/operations.ts';

/** What those do who run the platform (`client.operations`). */
export class OperationsClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  status({ signal }: CallOptions = {}): Promise<StatusView> {
    return this.#transport.send({ method: 'GET', path: '/v1/status', signal });
  }

  /** The figures of the last 60 seconds; needs no key. */
  ragHealth({ signal }: CallOptions = {}): Promise<HealthReport> {
    return this.#transport.send({ method: 'GET', path: '/health/rag', signal });
  }

  /** What there is, and the figures of the last 15 minutes. */
  overview({ signal }: CallOptions = {}): Promise<OverviewView> {
    return this.#transport.send({ method: 'GET', path: '/v1/overview', signal });
  }

  /** Who did what, when and from where; for admins of the tenant and operators. */
  audit({ denied, ...query }: AuditQuery = {}, { signal }: CallOptions = {}): Promise<AuditPage> {
    return this.#transport.send({ method: 'GET', path: '/v1/audit', query: { ...query, ...(denied === undefined ? {} : { denied: String(denied) }) }, signal });
  }

  /** Every entry that fits, page by page. */
  async *auditAll(query: Omit<AuditQuery, 'cursor'> = {}, options: CallOptions = {}): AsyncGenerator<AuditEntry> {
    let cursor: string | undefined;
    do {
      const page: AuditPage = await this.audit({ limit: 200, ...query, cursor }, options);
      yield* page.entries;
      cursor = page.next;
    } while (cursor !== undefined);
  }

  /** Throws every read model away and makes it again from the log. Resolves when that is done. */
  rebuild({ signal }: CallOptions = {}): Promise<RebuildResult> {
    return this.#transport.send({ method: 'POST', path: '/v1/admin/rebuild', signal });
  }

  /** Compares what lies in the stores with what the log says. */
  verify({ signal }: CallOptions = {}): Promise<VerifyResult> {
    return this.#transport.send({ method: 'POST', path: '/v1/admin/verify', signal });
  }

  /** Starts to embed a scope again with the current model; the old vectors serve until all is done. */
  reembed(scope: string, { signal }: CallOptions = {}): Promise<ReembedStarted> {
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/reembed`, signal });
  }

  retireGeneration(scope: string, generation: string, { signal }: CallOptions = {}): Promise<GenerationRetired> {
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/generations/${generation}/retire`, signal });
  }

  reembedProgress(scope: string, { signal }: CallOptions = {}): Promise<ReembedProgress> {
    return this.#transport.send({ method: 'GET', path: path`/v1/scopes/${scope}/reembed`, signal });
  }

  createApiKey(key: NewApiKey, { signal }: CallOptions = {}): Promise<ApiKeyCreated> {
    return this.#transport.send({ method: 'POST', path: '/v1/api-keys', json: key, signal });
  }

  async listApiKeys({ signal }: CallOptions = {}): Promise<readonly ApiKeyView[]> {
    const { keys } = await this.#transport.send<{ keys: readonly ApiKeyView[] }>({ method: 'GET', path: '/v1/api-keys', signal });
    return keys;
  }

  revokeApiKey(keyId: string, { signal }: CallOptions = {}): Promise<void> {
    return this.#transport.send({ method: 'DELETE', path: path`/v1/api-keys/${keyId}`, signal });
  }

  /** Work that was given up, the oldest first. */
  async deadLetters({ topic, limit, signal }: DeadLetterQuery & CallOptions = {}): Promise<readonly DeadLetterView[]> {
    const query = { topic, limit };
    const { deadLetters } = await this.#transport.send<{ deadLetters: readonly DeadLetterView[] }>({ method: 'GET', path: '/v1/dead-letters', query, signal });
    return deadLetters;
  }

  /** Puts it back into its queue, its attempts counted anew. */
  retryDeadLetter(id: string, { signal }: CallOptions = {}): Promise<void> {
    return this.#transport.send({ method: 'POST', path: path`/v1/dead-letters/${id}/retry`, signal });
  }

  discardDeadLetter(id: string, { signal }: CallOptions = {}): Promise<void> {
    return this.#transport.send({ method: 'DELETE', path: path`/v1/dead-letters/${id}`, signal });
  }

  /** The server's own description of its interface (OpenAPI 3). */
  openApi({ signal }: CallOptions = {}): Promise<Readonly<Record<string, unknown>>> {
    return this.#transport.send({ method: 'GET', path: '/openapi.json', signal });
  }

  /** Resolves when the process lives. */
  live({ signal }: CallOptions = {}): Promise<unknown> {
    return this.#transport.send({ method: 'GET', path: '/health/live', signal });
  }

  /** Resolves when the server can do its work; rejects with status 503 when it cannot and the retries are used up. */
  ready({ signal }: CallOptions = {}): Promise<unknown> {
    return this.#transport.send({ method: 'GET', path: '/health/ready', signal });
  }
}
