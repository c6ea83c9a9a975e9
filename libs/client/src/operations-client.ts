import { path } from './transport.ts';
import type { CallOptions } from './call-options.ts';
import type { Transport } from './transport.ts';
import type {
  ApiKeyCreated,
  ApiKeyView,
  AuditEntry,
  AuditPage,
  DeadLetterView,
  GenerationRetired,
  HealthReport,
  LogCheckResult,
  OverviewView,
  RebuildResult,
  RebuildView,
  ReembedProgress,
  ReembedStarted,
  SigningKey,
  RepairResult,
  StatusView,
  VerificationHistory,
  VerifyResult,
} from '@palimpsest/contracts/http';
import type { AuditQuery, DeadLetterQuery, NewApiKey, VerifyLogRequest } from './requests.ts';
import { REQUEST_LIMITS } from './request-limits.ts';

/**
 * `maxEventsPerSecond`: the cap; without it, the rebuild is as fast as possible. `scopes`: only these, of `tenant` or, by default, of the
 * tenant of the key.
 */
export type RebuildOptions = CallOptions & Readonly<{ maxEventsPerSecond?: number; scopes?: readonly string[]; tenant?: string }>;

/** `scopes`: only these, of `tenant` or, by default, of the tenant of the key. */
export type RepairOptions = CallOptions & Readonly<{ scopes?: readonly string[]; tenant?: string }>;

/** For operators of the platform (`client.operations`). */
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

  /** Counts of documents and chunks, and the figures of the last 15 minutes. */
  overview({ signal }: CallOptions = {}): Promise<OverviewView> {
    return this.#transport.send({ method: 'GET', path: '/v1/overview', signal });
  }

  /** The audit trail: who did what, when and from where. For admins of the tenant and operators. */
  audit({ denied, ...query }: AuditQuery = {}, { signal }: CallOptions = {}): Promise<AuditPage> {
    return this.#transport.send({
      method: 'GET',
      path: '/v1/audit',
      query: { ...query, ...(denied === undefined ? {} : { denied: String(denied) }) },
      signal,
    });
  }

  /** Every matching entry, page by page. */
  async *auditAll(query: Omit<AuditQuery, 'cursor'> = {}, options: CallOptions = {}): AsyncGenerator<AuditEntry> {
    let cursor: string | undefined;
    do {
      const page: AuditPage = await this.audit({ limit: REQUEST_LIMITS.page.audit, ...query, cursor }, options);
      yield* page.entries;
      cursor = page.next;
    } while (cursor !== undefined);
  }

  /** Builds every read model, or those of single scopes, again from the log. Resolves when the rebuild is complete; it continues if the call is aborted. */
  rebuild({ signal, ...order }: RebuildOptions = {}): Promise<RebuildResult> {
    const json = Object.keys(order).length === 0 ? undefined : order;
    return this.#transport.send({ method: 'POST', path: '/v1/admin/rebuild', json, signal });
  }

  /** The running rebuild, otherwise the last one since the process started. */
  rebuildStatus({ signal }: CallOptions = {}): Promise<RebuildView> {
    return this.#transport.send({ method: 'GET', path: '/v1/admin/rebuild', signal });
  }

  pauseRebuild(options: CallOptions = {}): Promise<RebuildView> {
    return this.#actOnRebuild('pause', options);
  }

  resumeRebuild(options: CallOptions = {}): Promise<RebuildView> {
    return this.#actOnRebuild('resume', options);
  }

  /** Deletes what was built. Resolves when that is done. */
  cancelRebuild(options: CallOptions = {}): Promise<RebuildView> {
    return this.#actOnRebuild('cancel', options);
  }

  /** Compares the contents of the stores with the log. `full`: projects the whole log, and not only what followed the previous verification. */
  verify({ full, signal }: CallOptions & Readonly<{ full?: boolean }> = {}): Promise<VerifyResult> {
    return this.#transport.send({ method: 'POST', path: '/v1/admin/verify', query: full ? { full: 'true' } : {}, signal });
  }

  /** The last verifications of the process that responds, and the last repairs of all. */
  verifications({ signal }: CallOptions = {}): Promise<VerificationHistory> {
    return this.#transport.send({ method: 'GET', path: '/v1/admin/verify', signal });
  }

  /** Verifies, writes what differs again from the log, and verifies again. It continues if the call is aborted. */
  repair({ signal, ...order }: RepairOptions = {}): Promise<RepairResult> {
    const json = Object.keys(order).length === 0 ? undefined : order;
    return this.#transport.send({ method: 'POST', path: '/v1/admin/repair', json, signal });
  }

  /** Compares the records of the log with its signed checkpoints. */
  verifyLog(request: VerifyLogRequest = {}, { signal }: CallOptions = {}): Promise<LogCheckResult> {
    return this.#transport.send({ method: 'POST', path: '/v1/admin/verify-log', json: request, signal });
  }

  /** The public key with which the installation signs. */
  signingKey({ signal }: CallOptions = {}): Promise<SigningKey> {
    return this.#transport.send({ method: 'GET', path: '/v1/signing-key', signal });
  }

  /** Starts to re-embed a scope with the current model. Searches use the old vectors until that is complete. */
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

  /** Failed jobs, oldest first. */
  async deadLetters({ topic, limit, signal }: DeadLetterQuery & CallOptions = {}): Promise<readonly DeadLetterView[]> {
    const query = { topic, limit };
    const { deadLetters } = await this.#transport.send<{ deadLetters: readonly DeadLetterView[] }>({
      method: 'GET',
      path: '/v1/dead-letters',
      query,
      signal,
    });
    return deadLetters;
  }

  /** Puts the message back into its queue and resets its attempts. */
  retryDeadLetter(id: string, { signal }: CallOptions = {}): Promise<void> {
    return this.#transport.send({ method: 'POST', path: path`/v1/dead-letters/${id}/retry`, signal });
  }

  discardDeadLetter(id: string, { signal }: CallOptions = {}): Promise<void> {
    return this.#transport.send({ method: 'DELETE', path: path`/v1/dead-letters/${id}`, signal });
  }

  /** The OpenAPI 3 description of the server's API. */
  openApi({ signal }: CallOptions = {}): Promise<Readonly<Record<string, unknown>>> {
    return this.#transport.send({ method: 'GET', path: '/openapi.json', signal });
  }

  /** Resolves when the process is alive. */
  live({ signal }: CallOptions = {}): Promise<unknown> {
    return this.#transport.send({ method: 'GET', path: '/health/live', signal });
  }

  /** Resolves when the server is ready; rejects with status 503 when it is still not ready after all retries. */
  ready({ signal }: CallOptions = {}): Promise<unknown> {
    return this.#transport.send({ method: 'GET', path: '/health/ready', signal });
  }

  #actOnRebuild(action: 'pause' | 'resume' | 'cancel', { signal }: CallOptions): Promise<RebuildView> {
    return this.#transport.send({ method: 'POST', path: path`/v1/admin/rebuild/${action}`, signal });
  }
}
