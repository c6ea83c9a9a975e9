import type { Journal } from '@palimpsest/contracts';
import { evaluateSwap, getSwapEvaluation } from '@palimpsest/contracts/routes/swap';
import { permittedScope } from '@palimpsest/knowledge/access';
import { scope as decider, scopeStream } from '@palimpsest/knowledge/deciders';
import { Conflict, NotFound } from '@palimpsest/knowledge/errors';
import { command, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { Access } from '@palimpsest/knowledge/access';
import type { Scope } from '@palimpsest/knowledge/deciders';
import { chunkListOf, type ChunkListId, type TenantId, type VectorScope } from '@palimpsest/knowledge/values';
import { describeEvaluation, type DescribePorts, type ShownEvaluation } from './evaluation/describe-evaluation.ts';
import type { EvaluateGeneration, EvaluationOptions } from './evaluation/evaluate-generation.ts';

export type EvaluateSwapPorts = DescribePorts & Readonly<{ journal: Journal; evaluate: EvaluateGeneration }>;

type Named = Readonly<{ scope: VectorScope }>;
const checks = { scopes: ({ scope }: Named) => [scope], shows: ({ rows }: ShownEvaluation) => rows };

export class EvaluateSwap extends command<Named & EvaluationOptions, ShownEvaluation>(evaluateSwap, checks) {}
export class GetSwapEvaluation extends query<Named, ShownEvaluation>(getSwapEvaluation, checks) {}

/** Compares the new generation of a scope with the active one when a person asks for it, and shows what was found. */
export class EvaluateSwapOnDemand implements UseCase {
  readonly handlers = [
    on(EvaluateSwap, ({ access, input: { scope, ...options }, correlationId }) => this.#evaluate(access, scope, options, correlationId)),
    on(GetSwapEvaluation, ({ access, input: { scope } }) => this.#latest(access, scope)),
  ];
  readonly #ports: EvaluateSwapPorts;
  readonly #running = new Set<TenantId>();

  constructor(ports: EvaluateSwapPorts) {
    this.#ports = ports;
  }

  /** @throws Conflict while this process evaluates for the tenant: each evaluation embeds hundreds of texts, for minutes on a slow model */
  async #evaluate(access: Access, name: VectorScope, options: EvaluationOptions, correlationId: string): Promise<ShownEvaluation> {
    const scope = permittedScope(access, name);
    if (this.#running.has(access.tenant)) throw new Conflict('an evaluation of this tenant is running; ask again when it has ended');
    this.#running.add(access.tenant);
    try {
      const by = { by: 'person' as const, actor: access.actor, correlationId, signal: new AbortController().signal };
      const { state } = await this.#ports.evaluate.run(scope, options, by);
      if (!state.evaluation) throw new NotFound('evaluation', name);
      return await describeEvaluation(this.#ports, scope, state.evaluation, listsOf(state));
    } finally {
      this.#running.delete(access.tenant);
    }
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
