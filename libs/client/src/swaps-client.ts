import { path } from './transport.ts';
import type { CallOptions } from './call-options.ts';
import type { Transport } from './transport.ts';
import type { SwapChanged, SwapList, SwapView } from '@palimpsest/contracts/http';

/** `embeddingVersion`: default, the current model of the server. `cutover`: default, automatic. */
export type SwapTarget = Readonly<{ embeddingVersion?: string; cutover?: 'automatic' | 'manual' }>;

/** Moves scopes to other models (`client.swaps`). Requires the role `admin`; `get` and `list` require `reader`. */
export class SwapsClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Builds a generation of another model alongside the active one. */
  start(scope: string, target: SwapTarget = {}, { signal }: CallOptions = {}): Promise<SwapChanged> {
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/swap`, json: target, signal });
  }

  get(scope: string, { signal }: CallOptions = {}): Promise<SwapView> {
    return this.#transport.send({ method: 'GET', path: path`/v1/scopes/${scope}/swap`, signal });
  }

  /** Scopes with more than one live generation. */
  async list({ signal }: CallOptions = {}): Promise<readonly SwapView[]> {
    return (await this.#transport.send<SwapList>({ method: 'GET', path: '/v1/swaps', signal })).swaps;
  }

  pause(scope: string, reason?: string, { signal }: CallOptions = {}): Promise<SwapChanged> {
    const json = reason === undefined ? {} : { reason };
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/swap/pause`, json, signal });
  }

  resume(scope: string, { signal }: CallOptions = {}): Promise<SwapChanged> {
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/swap/resume`, signal });
  }

  /** Searches use the new generation from now on. */
  cutOver(scope: string, { signal }: CallOptions = {}): Promise<SwapChanged> {
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/swap/cutover`, signal });
  }

  /** Searches use the previous generation again. */
  rollBack(scope: string, { signal }: CallOptions = {}): Promise<SwapChanged> {
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/swap/rollback`, signal });
  }

  /** Deletes what was built, before the cut-over. */
  cancel(scope: string, { signal }: CallOptions = {}): Promise<SwapChanged> {
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/swap/cancel`, signal });
  }

  /** `generation`: default, the only one in standby. */
  retire(scope: string, generation?: string, { signal }: CallOptions = {}): Promise<SwapChanged> {
    const json = generation === undefined ? {} : { generation };
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/swap/retire`, json, signal });
  }
}
