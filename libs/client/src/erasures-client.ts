import type { ErasureReceipt, HistoryStatus, ScopeErasure, SubjectErasure, SubjectFound, TenantErasure } from '@palimpsest/contracts/http';
import type { CallOptions } from './call-options.ts';
import { path } from './transport.ts';
import type { Transport } from './transport.ts';

/** The erasure of scopes, of persons and of tenants, and of old history (`client.erasures`). */
export class ErasuresClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Destroys the key of the scope. `confirm`: the name of the scope, again. It cannot be undone. */
  start(scope: string, confirm: string, { signal }: CallOptions = {}): Promise<ScopeErasure> {
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/erasure`, json: { confirm }, signal });
  }

  get(scope: string, { signal }: CallOptions = {}): Promise<ScopeErasure> {
    return this.#transport.send({ method: 'GET', path: path`/v1/scopes/${scope}/erasure`, signal });
  }

  /** The signed receipt, once everything that was derived from the scope is removed. */
  receipt(scope: string, { signal }: CallOptions = {}): Promise<ErasureReceipt> {
    return this.#transport.send({ method: 'GET', path: path`/v1/scopes/${scope}/erasure/receipt`, signal });
  }

  /** The scope must not be erased until it is released. */
  hold(scope: string, reason: string, { signal }: CallOptions = {}): Promise<ScopeErasure> {
    return this.#transport.send({ method: 'PUT', path: path`/v1/scopes/${scope}/hold`, json: { reason }, signal });
  }

  release(scope: string, { signal }: CallOptions = {}): Promise<ScopeErasure> {
    return this.#transport.send({ method: 'DELETE', path: path`/v1/scopes/${scope}/hold`, signal });
  }

  /** Removes what was replaced or deleted more than `keepDays` days ago from the log. It cannot be undone. */
  removeHistory(
    scope: string,
    keepDays: number,
    { knowledgeBase, signal }: CallOptions & Readonly<{ knowledgeBase?: string }> = {},
  ): Promise<HistoryStatus> {
    const json = { keepDays, ...(knowledgeBase === undefined ? {} : { knowledgeBase }) };
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/history-removal`, json, signal });
  }

  history(scope: string, { signal }: CallOptions = {}): Promise<HistoryStatus> {
    return this.#transport.send({ method: 'GET', path: path`/v1/scopes/${scope}/history-removal`, signal });
  }

  /** How many documents there are about a person, in all scopes of the tenant. */
  findPerson(subject: string, { signal }: CallOptions = {}): Promise<SubjectFound> {
    return this.#transport.send({ method: 'POST', path: '/v1/subjects/find', json: { subject }, signal });
  }

  /** Deletes all documents about a person, and destroys the key that sealed them. It cannot be undone. `subject` of the result names the erasure. */
  startOfPerson(subject: string, { signal }: CallOptions = {}): Promise<SubjectErasure> {
    return this.#transport.send({ method: 'POST', path: '/v1/subjects/erasure', json: { subject, confirm: subject }, signal });
  }

  getOfPerson(erasure: string, { signal }: CallOptions = {}): Promise<SubjectErasure> {
    return this.#transport.send({ method: 'GET', path: path`/v1/subjects/${erasure}/erasure`, signal });
  }

  receiptOfPerson(erasure: string, { signal }: CallOptions = {}): Promise<ErasureReceipt> {
    return this.#transport.send({ method: 'GET', path: path`/v1/subjects/${erasure}/erasure/receipt`, signal });
  }

  /** Revokes the API keys of a tenant, and destroys the keys of all of its scopes. For operators. It cannot be undone. */
  startOfTenant(tenant: string, confirm: string, { signal }: CallOptions = {}): Promise<TenantErasure> {
    return this.#transport.send({ method: 'POST', path: path`/v1/tenant-erasures/${tenant}`, json: { confirm }, signal });
  }

  getOfTenant(tenant: string, { signal }: CallOptions = {}): Promise<TenantErasure> {
    return this.#transport.send({ method: 'GET', path: path`/v1/tenant-erasures/${tenant}`, signal });
  }

  receiptOfTenant(tenant: string, { signal }: CallOptions = {}): Promise<ErasureReceipt> {
    return this.#transport.send({ method: 'GET', path: path`/v1/tenant-erasures/${tenant}/receipt`, signal });
  }
}
