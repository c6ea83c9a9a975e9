import type { LineageReceipt, ReplayedWindow, ReplayResult } from '@palimpsest/contracts/http';
import type { CallOptions } from './call-options.ts';
import type { LineageRequest, ReplayRequest, ReplayWindowRequest } from './requests.ts';
import { path } from './transport.ts';
import type { Transport } from './transport.ts';

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

  /** A signed receipt of where the results of a past search came from; `chunk`: only this result. */
  receipt(traceId: string, request: LineageRequest = {}, { signal }: CallOptions = {}): Promise<LineageReceipt> {
    return this.#transport.send({ method: 'POST', path: path`/v1/retrievals/${traceId}/receipt`, json: request, signal });
  }
}
