import type { ErasureReceipt, ScopeErasure } from '@palimpsest/contracts/http';
import type { CallOptions } from './call-options.ts';
import { path } from './transport.ts';
import type { Transport } from './transport.ts';

/** The erasure of scopes (`client.erasures`). */
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
}
