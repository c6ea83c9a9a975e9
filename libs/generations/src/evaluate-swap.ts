import type { Journal } from '@palimpsest/contracts';
import { evaluateSwap, getSwapEvaluation, startSwapEvaluation } from '@palimpsest/contracts/routes/swap';
import { permittedScope } from '@palimpsest/knowledge/access';
import { scope as decider, scopeStream } from '@palimpsest/knowledge/deciders';
import { KnowledgeError, NotFound } from '@palimpsest/knowledge/errors';
import { command, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { Access, PermittedScope } from '@palimpsest/knowledge/access';
import type { Scope } from '@palimpsest/knowledge/deciders';
import type { EventMetadata } from '@palimpsest/knowledge/events';
import { chunkListOf, type ChunkListId, type VectorScope } from '@palimpsest/knowledge/values';
import { describeEvaluation, type DescribePorts, type ShownEvaluation } from './evaluation/describe-evaluation.ts';
import type { EvaluateGeneration, EvaluationOptions } from './evaluation/evaluate-generation.ts';
import type { EvaluationRuns, EvaluationRunStatus } from './evaluation/evaluation-runs.ts';

export type EvaluateSwapPorts = DescribePorts &
  Readonly<{ journal: Journal; evaluate: EvaluateGeneration; runs: EvaluationRuns; onFault: (error: unknown, about: string) => void }>;

type Named = Readonly<{ scope: VectorScope }>;
/** `evaluationRun`: its state at the start. */
export type EvaluationStarted = Named & Readonly<{ evaluationRun: EvaluationRunStatus }>;
const named = { scopes: ({ scope }: Named) => [scope] };
const checks = { ...named, shows: ({ rows }: ShownEvaluation) => rows };

export class EvaluateSwap extends command<Named & EvaluationOptions, ShownEvaluation>(evaluateSwap, checks) {}
export class StartEvaluation extends command<Named & EvaluationOptions, EvaluationStarted>(startSwapEvaluation, named) {}
export class GetSwapEvaluation extends query<Named, ShownEvaluation>(getSwapEvaluation, checks) {}

/** Compares the new generation of a scope with the active one when a person asks for it, and shows what was found. */
export class EvaluateSwapOnDemand implements UseCase {
  readonly handlers = [
    on(EvaluateSwap, ({ access, input: { scope, ...options }, correlationId }) => this.#evaluate(access, scope, options, correlationId)),
    on(StartEvaluation, ({ access, input: { scope, ...options }, correlationId }) => this.#start(access, scope, options, correlationId)),
    on(GetSwapEvaluation, ({ access, input: { scope } }) => this.#latest(access, scope)),
  ];
  readonly #ports: EvaluateSwapPorts;

  constructor(ports: EvaluateSwapPorts) {
    this.#ports = ports;
  }

  /** Returns when the evaluation is complete. @throws as `#begin`, and what made it fail */
  async #evaluate(access: Access, name: VectorScope, options: EvaluationOptions, correlationId: string): Promise<ShownEvaluation> {
    const scope = permittedScope(access, name);
    const { ended } = await this.#begin(scope, options, { actor: access.actor, correlationId });
    const { state } = await ended;
    if (!state.evaluation) throw new NotFound('evaluation', name);
    return describeEvaluation(this.#ports, scope, state.evaluation, listsOf(state));
  }

  /** Returns at once. The status of the swap shows the progress, and why it failed. @throws as `#begin` */
  async #start(access: Access, name: VectorScope, options: EvaluationOptions, correlationId: string): Promise<EvaluationStarted> {
    const { status, ended } = await this.#begin(permittedScope(access, name), options, { actor: access.actor, correlationId });
    void ended.catch((error: unknown) => {
      // What a caller can handle is in the status.
      if (!(error instanceof KnowledgeError)) this.#ports.onFault(error, 'evaluating a generation');
    });
    return { scope: name, evaluationRun: status };
  }

  /** @throws NotFound, Conflict if there is nothing to compare, or while the tenant has an evaluation */
  async #begin(scope: PermittedScope, options: EvaluationOptions, by: Pick<EventMetadata, 'actor' | 'correlationId'>) {
    const { evaluate, runs } = this.#ports;
    await evaluate.pairOf(scope);
    return runs.start(scope, (run) => evaluate.run(scope, options, { by: 'person', ...by, ...run }));
  }

  async #latest(access: Access, name: VectorScope): Promise<ShownEvaluation> {
    const scope = permittedScope(access, name);
    const { state } = await this.#ports.journal.load(decider, scopeStream(scope));
    if (!state.opened) throw new NotFound('scope', name);
    if (!state.evaluation) throw new NotFound('evaluation of scope', name);
    return describeEvaluation(this.#ports, scope, state.evaluation, listsOf(state));
  }
}

/** The chunk lists of both sides of the latest evaluation. */
const listsOf = ({ evaluation, generations }: Scope): readonly ChunkListId[] => [
  ...new Set(
    generations
      .filter(({ id }) => id === evaluation?.generation || id === evaluation?.against)
      .map(({ recipe }) => chunkListOf(recipe.chunking)),
  ),
];
