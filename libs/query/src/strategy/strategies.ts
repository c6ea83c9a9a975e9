import type { Journal } from '@palimpsest/contracts';
import { evaluateStrategy, getStrategy, setStrategy } from '@palimpsest/contracts/routes/strategies';
import { drawJudgedQueries, gateMeasure, GATE_MARGIN } from '@palimpsest/evaluation';
import { nextTurn, SeededRandom, timestamp, type System } from '@palimpsest/foundation';
import { authorise, type Access, type PermittedScope } from '@palimpsest/knowledge/access';
import { isGone, knowledgeBase as decider, knowledgeBaseStream, type KnowledgeBase } from '@palimpsest/knowledge/deciders';
import { Conflict, InvalidValue, NotFound, Unavailable } from '@palimpsest/knowledge/errors';
import {
  DEFAULT_IN_USE,
  nameOf,
  sameStrategy,
  type RerankerInUse,
  type StrategyEvaluation,
  type StrategyInUse,
} from '@palimpsest/knowledge/evaluation';
import { command, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { GoldenQueries } from '@palimpsest/knowledge/ports';
import type { Views } from '@palimpsest/knowledge/read-models';
import type { DocumentId, KnowledgeBaseId, Position, Strategy, TenantId } from '@palimpsest/knowledge/values';
import type { ConfiguredReranker } from '../pipeline/rerank.ts';
import type { SearchStages } from '../pipeline/search-stages.ts';
import { refuseWithoutReranker } from '../search/describe-reranking.ts';
import { compareStrategies, latencyOf, rerankedIn } from './compare-strategies.ts';
import { decideOnStrategy } from './decide-on-strategy.ts';
import { defaultStrategy, rerankerInUse } from './default-strategy.ts';

export type StrategiesPorts = Readonly<{
  journal: Journal;
  views: Views;
  stages: SearchStages;
  golden: GoldenQueries;
  reranker?: ConfiguredReranker | undefined;
  settings: Readonly<{ gateQueries: number }>;
  system: System;
}>;

type Named = Readonly<{ id: KnowledgeBaseId }>;
type Evaluated = Named & Readonly<{ strategy: Strategy; queries?: number; seed?: number; synthetic?: boolean }>;
type Chosen = Named & Readonly<{ strategy: Strategy; force?: boolean; reason?: string }>;

/** `default`: what was set. `used`: what searches that name no strategy use; `detail`: why, if it is another one. */
export type KnowledgeBaseStrategy = Readonly<{
  scope: PermittedScope;
  knowledgeBase: KnowledgeBaseId;
  default: StrategyInUse;
  used: StrategyInUse;
  detail?: string;
  evaluation?: StrategyEvaluation;
  position: Position;
}>;
const checks = { shows: ({ scope }: KnowledgeBaseStrategy) => [scope] };

export class GetStrategy extends query<Named, KnowledgeBaseStrategy>(getStrategy, checks) {}
export class EvaluateStrategy extends command<Evaluated, KnowledgeBaseStrategy>(evaluateStrategy, checks) {}
export class SetStrategy extends command<Chosen, KnowledgeBaseStrategy>(setStrategy, checks) {}

type Open = Exclude<KnowledgeBase, { status: 'none' | 'deleted' }>;
/** `reranker`: of searches of the scope, if there is one. */
type Found = Readonly<{ scope: PermittedScope; reranker: RerankerInUse | undefined; state: Open; position: Position }>;

/** The default strategy of a knowledge base: a person sets it, once a gate has found that it is not worse than the one in use. */
export class Strategies implements UseCase {
  readonly handlers = [
    on(GetStrategy, async ({ access, input: { id } }) => this.#shown(id, await this.#found(access, id))),
    on(EvaluateStrategy, ({ access, input, correlationId }) => this.#evaluate(access, input, correlationId)),
    on(SetStrategy, ({ access, input, correlationId }) => this.#set(access, input, correlationId)),
  ];
  readonly #ports: StrategiesPorts;
  /** Evaluations of this process: one of each tenant at a time, since each runs hundreds of searches. */
  readonly #running = new Map<TenantId, Promise<unknown>>();
  readonly #stopped = new AbortController();

  constructor(ports: StrategiesPorts) {
    this.#ports = ports;
  }

  /** Ends the evaluations that run, and waits for them. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Unavailable('the process that evaluated ended'));
    await Promise.allSettled(this.#running.values());
  }

  /** @throws NotFound; InvalidValue without a reranker; Conflict if searches use the strategy already, or while the tenant has an evaluation */
  async #evaluate(access: Access, input: Evaluated, correlationId: string): Promise<KnowledgeBaseStrategy> {
    const { id } = input;
    const found = await this.#found(access, id);
    const candidate = this.#choice(input, found);
    const { used: against } = this.#inUse(id, found);
    if (sameStrategy(candidate, against)) throw new Conflict(`searches of knowledge base "${id}" use ${nameOf(candidate)} already`);
    if (this.#running.has(access.tenant))
      throw new Conflict('an evaluation of a strategy of this tenant is running; ask again when it has ended');
    const run = this.#compared(access, found.scope, { ...input, candidate, against });
    this.#running.set(access.tenant, run);
    try {
      const evaluation = await run;
      return await this.#execute(access, id, found, correlationId, { type: 'RecordStrategyEvaluation', evaluation });
    } finally {
      this.#running.delete(access.tenant);
    }
  }

  /** @throws NotFound; InvalidValue without a reranker, or if it is forced without a reason; Conflict if it was not found to be not worse */
  async #set(access: Access, input: Chosen, correlationId: string): Promise<KnowledgeBaseStrategy> {
    const { id, force, reason } = input;
    const found = await this.#found(access, id);
    const strategy = this.#choice(input, found);
    if (force === true && (reason === undefined || reason.trim() === ''))
      throw new InvalidValue('reason', 'why the strategy is forced', reason);
    const forced = force === true && reason !== undefined ? { forced: reason } : {};
    return this.#execute(access, id, found, correlationId, { type: 'SetStrategy', strategy, ...forced });
  }

  async #compared(
    access: Access,
    scope: PermittedScope,
    { id, candidate, against, ...options }: Evaluated & Readonly<{ candidate: StrategyInUse; against: StrategyInUse }>,
  ): Promise<StrategyEvaluation> {
    const { journal, views, golden, settings } = this.#ports;
    const seed = options.seed ?? Number(BigInt.asUintN(32, await journal.log.head()));
    const judged = await drawJudgedQueries(await golden.ofScope(scope), {
      max: options.queries ?? settings.gateQueries,
      random: new SeededRandom(seed),
      withSynthetic: options.synthetic ?? false,
      existing: (ids: readonly DocumentId[]) => this.#documentsIn(id, scope, ids),
    });
    const start = views.live().position();
    const where = { access, scope, knowledgeBase: id };
    const compared = await compareStrategies(
      this.#ports,
      where,
      { before: against, after: candidate },
      judged.queries,
      this.#stopped.signal,
    );
    const { outcomes, unsettled } = compared;
    const measure = gateMeasure(outcomes, seed);
    const reranked = candidate.reranker === undefined ? undefined : rerankedIn(compared);
    const latency = latencyOf(compared);
    return {
      ...candidate,
      against,
      ...decideOnStrategy(measure, reranked),
      ...{ margin: GATE_MARGIN, seed, unsettled },
      from: String(outcomes[0]?.position ?? start),
      upTo: String(outcomes.at(-1)?.position ?? start),
      ...(measure ? { measure: { source: 'golden', ...measure } } : {}),
      golden: { used: judged.queries.length, synthetic: judged.synthetic, unusable: judged.unusable },
      ...(reranked ? { reranked } : {}),
      ...(latency ? { latency } : {}),
    };
  }

  /** Which of the documents are in the knowledge base. */
  async #documentsIn(id: KnowledgeBaseId, scope: PermittedScope, ids: readonly DocumentId[]): Promise<ReadonlySet<DocumentId>> {
    const { catalog } = this.#ports.views.live();
    const found = new Set<DocumentId>();
    for (const document of ids) {
      if ((await catalog.document([scope], document))?.knowledgeBase === id) found.add(document);
      await nextTurn(this.#ports.system.scheduler);
    }
    return found;
  }

  /** @throws InvalidValue without a reranker */
  #choice({ strategy }: Readonly<{ strategy: Strategy }>, { reranker }: Pick<Found, 'reranker'>): StrategyInUse {
    refuseWithoutReranker({ strategy }, this.#ports.reranker);
    if (strategy !== 'DenseSparseRerank') return { strategy };
    if (reranker === undefined)
      throw new InvalidValue('strategy', 'a strategy without a reranker, since the scope has no companion', strategy);
    return { strategy, reranker };
  }

  #inUse(id: KnowledgeBaseId, { state: { strategy }, reranker }: Pick<Found, 'state' | 'reranker'>) {
    return defaultStrategy([{ id, ...(strategy ? { strategy } : {}) }], reranker);
  }

  async #execute(
    access: Access,
    id: KnowledgeBaseId,
    { scope, reranker }: Found,
    correlationId: string,
    sent:
      | Readonly<{ type: 'RecordStrategyEvaluation'; evaluation: StrategyEvaluation }>
      | Readonly<{ type: 'SetStrategy'; strategy: StrategyInUse; forced?: string }>,
  ): Promise<KnowledgeBaseStrategy> {
    const { journal, system } = this.#ports;
    const command = { ...sent, id, ...(reranker ? { reranker } : {}), now: timestamp(system.clock) };
    const { tenant, actor } = access;
    const metadata = { tenant, scope: scope.scope, actor, correlationId };
    const { state, position } = await journal.execute(decider, knowledgeBaseStream(tenant, id), command, metadata);
    if (isGone(state)) throw new NotFound('knowledge base', id);
    return this.#shown(id, { scope, reranker, state, position });
  }

  #shown(knowledgeBase: KnowledgeBaseId, found: Found): KnowledgeBaseStrategy {
    const { scope, state, position } = found;
    const { strategy = DEFAULT_IN_USE, strategyEvaluation: evaluation } = state;
    const { used, detail } = this.#inUse(knowledgeBase, found);
    const why = detail === undefined || sameStrategy(used, strategy) ? {} : { detail };
    return { scope, knowledgeBase, default: strategy, used, ...why, ...(evaluation ? { evaluation } : {}), position };
  }

  /** @throws NotFound if it does not exist, or if the caller may not read its scope */
  async #found(access: Access, id: KnowledgeBaseId): Promise<Found> {
    const { state, position } = await this.#ports.journal.load(decider, knowledgeBaseStream(access.tenant, id));
    const [scope] = isGone(state) ? [] : authorise(access, [state.scope]);
    if (isGone(state) || scope === undefined) throw new NotFound('knowledge base', id);
    const scopes = await this.#ports.views.live().catalog.scopes(access.tenant);
    const reranker = rerankerInUse(
      this.#ports.reranker,
      scopes.filter((one) => one.scope.scope === scope.scope),
    );
    return { scope, reranker, state, position };
  }
}
