import { Conflict } from '@palimpsest/knowledge/errors';
import type { RetrievalRecordData, SealedRequest } from '@palimpsest/knowledge/events';
import type { ScopeCipher, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { TenantId, VectorScope } from '@palimpsest/knowledge/values';
import { openRequest } from './sealed-request.ts';

/** Opens the sealed requests of retrieval records of one tenant, each under the key of the scope that sealed it. */
export class RecordedRequests {
  readonly #keys: Pick<ScopeKeys, 'cipher'>;
  readonly #tenant: TenantId;
  readonly #ciphers = new Map<VectorScope, Promise<ScopeCipher>>();

  constructor(keys: Pick<ScopeKeys, 'cipher'>, tenant: TenantId) {
    this.#keys = keys;
    this.#tenant = tenant;
  }

  /**
   * `sealed` is empty if there was nothing to seal.
   * @throws Conflict for records of versions before 0.2; ScopeKeyDestroyed if the scope was erased; Corrupt if it does not open;
   * Unavailable if the keys cannot be read now
   */
  async open({ traceId, keyScope, sealedRequest }: RetrievalRecordData): Promise<Readonly<{ cipher: ScopeCipher; sealed: SealedRequest }>> {
    if (keyScope === undefined)
      throw new Conflict('a version before 0.2 recorded this retrieval, without its complete request; it cannot be repeated');
    const cipher = await this.#cipher(keyScope);
    return { cipher, sealed: sealedRequest === undefined ? {} : openRequest(cipher, traceId, sealedRequest) };
  }

  #cipher(scope: VectorScope): Promise<ScopeCipher> {
    const known = this.#ciphers.get(scope) ?? this.#keys.cipher({ tenant: this.#tenant, scope });
    this.#ciphers.set(scope, known);
    return known;
  }
}
