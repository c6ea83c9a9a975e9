import { path } from './transport.ts';
import type { FollowOptions } from './live/follow.ts';
import type { CallOptions } from './call-options.ts';
import type { Transport } from './transport.ts';
import type {
  CanaryView,
  EvaluationStarted,
  EvaluationView,
  KnowledgeBaseView,
  SwapChanged,
  SwapList,
  SwapPlanChanged,
  SwapPlanList,
  SwapPlanTenants,
  SwapPlanView,
  SwapView,
} from '@palimpsest/contracts/http';

/** When past queries were recorded: positions, or times in RFC 3339, both exclusive. */
export type QueryWindow = Readonly<{ after?: string | undefined; before?: string | undefined }>;
/**
 * `embeddingVersion`: default, the current model of the server; that of the scope if only the chunking changes. `chunking`: settings for all
 * knowledge bases, or `knowledge-base` for those of each; default, as now. `cutover`: default, automatic; a companion only reranks. `plan`: start
 * this plan, which says all of it. `pastQueries`: those that a gate asks; default, the newest.
 */
export type SwapTarget = Readonly<{
  embeddingVersion?: string;
  chunking?: KnowledgeBaseView['chunking'] | 'knowledge-base';
  analyser?: string;
  cutover?: 'automatic' | 'manual' | 'gate' | 'companion';
  pastQueries?: QueryWindow;
  plan?: string;
}>;
/** `sample`: chunks that the model embeds to measure its speed. `seed`: of all samples. */
export type SwapPlanOptions = Omit<SwapTarget, 'plan' | 'pastQueries'> & Readonly<{ sample?: number; seed?: number }>;
/** `queries`: most queries of each kind. `seed`: of all samples. `synthetic`: use judged queries that a model wrote, too. `pastQueries`: default, those that the swap names, or else the newest. */
export type EvaluationOptions = Readonly<{ queries?: number; seed?: number; synthetic?: boolean; pastQueries?: QueryWindow }>;

/** `share`: percent of the callers. `reason`: why, although the evaluation found that the generation is worse. */
export type CanaryOptions = Readonly<{
  share: number;
  thresholds?: Partial<CanaryView['thresholds']>;
  reason?: string;
}>;

/** Moves scopes to other models (`client.swaps`). Requires the role `admin`; `get` and `list` require `reader`. */
export class SwapsClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Builds a generation of another model or chunking alongside the active one. */
  start(scope: string, target: SwapTarget = {}, { signal }: CallOptions = {}): Promise<SwapChanged> {
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/swap`, json: target, signal });
  }

  /** What a swap would take. Resolves when the plan is complete. */
  plan(scope: string, options: SwapPlanOptions = {}, { signal }: CallOptions = {}): Promise<SwapPlanChanged> {
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/swap/plan`, json: options, signal });
  }

  /** Plans all scopes that the key may read. */
  planAll(options: SwapPlanOptions = {}, { signal }: CallOptions = {}): Promise<SwapPlanList> {
    return this.#transport.send({ method: 'POST', path: '/v1/swaps/plan', json: options, signal });
  }

  /** For operators: an estimate for all tenants, which is not recorded. */
  planTenants(options: Pick<SwapPlanOptions, 'embeddingVersion' | 'sample'> = {}, { signal }: CallOptions = {}): Promise<SwapPlanTenants> {
    return this.#transport.send({ method: 'POST', path: '/v1/swaps/plan/tenants', json: options, signal });
  }

  /** The latest plan. */
  latestPlan(scope: string, { signal }: CallOptions = {}): Promise<SwapPlanView> {
    return this.#transport.send({ method: 'GET', path: path`/v1/scopes/${scope}/swap/plan`, signal });
  }

  /** Refused to the person who made the plan. */
  approvePlan(scope: string, plan: string, { signal }: CallOptions = {}): Promise<SwapPlanChanged> {
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/swap/plan/approve`, json: { plan }, signal });
  }

  get(scope: string, { signal }: CallOptions = {}): Promise<SwapView> {
    return this.#transport.send({ method: 'GET', path: path`/v1/scopes/${scope}/swap`, signal });
  }

  /** The state now and after each change, until the swap ends; reconnects automatically. */
  follow(scope: string, options: FollowOptions = {}): AsyncGenerator<SwapView> {
    return this.#transport.follow(path`/v1/scopes/${scope}/swap/progress`, {}, options);
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

  /** Searches use the new generation from now on. `forced`: why, although its evaluation found that it is worse. */
  cutOver(scope: string, forced?: string, { signal }: CallOptions = {}): Promise<SwapChanged> {
    const json = forced === undefined ? {} : { force: true, reason: forced };
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/swap/cutover`, json, signal });
  }

  /** Compares the new generation with the active one. Resolves when the evaluation is complete. */
  evaluate(scope: string, options: EvaluationOptions = {}, { signal }: CallOptions = {}): Promise<EvaluationView> {
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/swap/evaluate`, json: options, signal });
  }

  /** The same in the background: `get` shows its progress as `evaluationRun`, `evaluation` its result. */
  startEvaluation(scope: string, options: EvaluationOptions = {}, { signal }: CallOptions = {}): Promise<EvaluationStarted> {
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/swap/evaluation`, json: options, signal });
  }

  /** The latest evaluation. */
  evaluation(scope: string, { signal }: CallOptions = {}): Promise<EvaluationView> {
    return this.#transport.send({ method: 'GET', path: path`/v1/scopes/${scope}/swap/evaluation`, signal });
  }

  /** Lets the new generation serve a share of the callers, or changes the share. */
  startCanary(scope: string, { reason, ...canary }: CanaryOptions, { signal }: CallOptions = {}): Promise<SwapChanged> {
    const json = { ...canary, ...(reason === undefined ? {} : { force: true, reason }) };
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/swap/canary`, json, signal });
  }

  /** Returns the callers of the canary to the active generation. */
  stopCanary(scope: string, { signal }: CallOptions = {}): Promise<SwapChanged> {
    return this.#transport.send({ method: 'DELETE', path: path`/v1/scopes/${scope}/swap/canary`, signal });
  }

  /** The latest canary; while it runs, with both sides. */
  canary(scope: string, { signal }: CallOptions = {}): Promise<CanaryView> {
    return this.#transport.send({ method: 'GET', path: path`/v1/scopes/${scope}/swap/canary`, signal });
  }

  /** Searches use the previous generation again. */
  rollBack(scope: string, { signal }: CallOptions = {}): Promise<SwapChanged> {
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/swap/rollback`, signal });
  }

  /** Deletes what was built, before the cut-over. */
  cancel(scope: string, { signal }: CallOptions = {}): Promise<SwapChanged> {
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/swap/cancel`, signal });
  }

  /** `generation`: default, the only one in standby, or else the companion. */
  retire(scope: string, generation?: string, { signal }: CallOptions = {}): Promise<SwapChanged> {
    const json = generation === undefined ? {} : { generation };
    return this.#transport.send({ method: 'POST', path: path`/v1/scopes/${scope}/swap/retire`, json, signal });
  }
}
