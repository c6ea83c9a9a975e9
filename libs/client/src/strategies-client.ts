import type { KnowledgeBaseStrategy, Strategy } from '@palimpsest/contracts/http';
import type { CallOptions } from './call-options.ts';
import type { EvaluationOptions } from './swaps-client.ts';
import { path, type Transport } from './transport.ts';

/** The default strategies of knowledge bases (`client.strategies`). `evaluate` and `set` require the role `admin`. */
export class StrategiesClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(knowledgeBase: string, { signal }: CallOptions = {}): Promise<KnowledgeBaseStrategy> {
    return this.#transport.send({ method: 'GET', path: path`/v1/strategies/${knowledgeBase}`, signal });
  }

  /** Compares a strategy with the one in use. Resolves when the evaluation is complete. */
  evaluate(
    knowledgeBase: string,
    strategy: Strategy,
    options: Omit<EvaluationOptions, 'pastQueries'> = {},
    { signal }: CallOptions = {},
  ): Promise<KnowledgeBaseStrategy> {
    const json = { ...options, strategy };
    return this.#transport.send({ method: 'POST', path: path`/v1/strategies/${knowledgeBase}/evaluate`, json, signal });
  }

  /** Searches that name no strategy use it from now on. `forced`: why, although no evaluation found that it is not worse. */
  set(knowledgeBase: string, strategy: Strategy, forced?: string, { signal }: CallOptions = {}): Promise<KnowledgeBaseStrategy> {
    const json = { strategy, ...(forced === undefined ? {} : { force: true, reason: forced }) };
    return this.#transport.send({ method: 'PUT', path: path`/v1/strategies/${knowledgeBase}`, json, signal });
  }
}
