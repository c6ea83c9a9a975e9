import type { Executed, Journal } from '@palimpsest/contracts';
import { activeGeneration, rangesFor, scope as decider, scopeStream } from '@palimpsest/knowledge/deciders';
import { InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import type { Scope } from '@palimpsest/knowledge/deciders';
import type { QueryWindow } from '@palimpsest/knowledge/evaluation';
import type { Cutover, EventMetadata, ScopeEvent } from '@palimpsest/knowledge/events';
import type { PlanId } from '@palimpsest/knowledge/plans';
import type { EmbeddingProviders, RegisteredModel } from '@palimpsest/knowledge/ports';
import type { EmbeddingVersion, Recipe, TenantScope } from '@palimpsest/knowledge/values';
import { wantedRecipe, type RecipeTarget } from './wanted-recipe.ts';

/** `requirePlan`: whether swaps need an approved plan. */
export type StartSwapPorts = Readonly<{ journal: Journal; providers: EmbeddingProviders; now: () => string; requirePlan?: boolean }>;
/**
 * `embeddingVersion`: default, the current model; if only `chunking` is given, that of the scope. `chunking`: default, that of the scope.
 * `analyser`, `contextual`: this version has one of each. `cutover`: default, automatic. `pastQueries`: those that the gate asks; default, the newest.
 */
export type SwapTarget = RecipeTarget & Readonly<{ cutover?: Cutover; pastQueries?: QueryWindow }>;
/** `chunks`: how many the scope has now. `plan`: the plan that the swap follows. */
export type SwapStart = SwapTarget & Readonly<{ chunks: number; plan?: PlanId }>;

/**
 * Starts a generation of this model and chunking. The workers react to the event. Nothing happens if the scope has both or is being moved
 * to them. @throws NotFound, Conflict, InvalidValue
 */
export const startSwap = async (
  { journal, providers, now, requirePlan = false }: StartSwapPorts,
  scope: TenantScope,
  by: Pick<EventMetadata, 'actor' | 'correlationId'>,
  { cutover, pastQueries, plan: planned, chunks, ...target }: SwapStart,
): Promise<Executed<Scope, ScopeEvent>> => {
  const known = await journal.load(decider, scopeStream(scope));
  const { plan } = known.state;
  const followed = planned === undefined ? undefined : plan;
  if (planned !== undefined && !plan) throw new NotFound(`plan of scope "${scope.scope}"`, planned);
  const recipe = wantedRecipe(providers, activeGeneration(known.state)?.recipe, { ...targetOf(followed?.recipe), ...target });
  const { version } = recipe.embedding;
  const way = cutover ?? followed?.cutover;
  if (pastQueries !== undefined && way !== 'gate')
    throw new InvalidValue('pastQueries', 'no past queries unless the cut-over is `gate`, which evaluates with them', 'past queries');
  const command = {
    type: 'StartGeneration' as const,
    scope: scope.scope,
    recipe,
    ranges: rangesFor(chunks),
    ...(way === undefined ? {} : { cutover: way }),
    ...(pastQueries === undefined ? {} : { pastQueries }),
    ...(planned === undefined ? {} : { plan: { id: planned, chunks, ...registered(providers, version) } }),
    ...(requirePlan ? { approval: 'required' as const } : {}),
    now: now(),
  };
  return journal.execute(decider, scopeStream(scope), command, { ...scope, ...by }, known);
};

const targetOf = (recipe: Recipe | undefined): RecipeTarget =>
  recipe ? { embeddingVersion: recipe.embedding.version, chunking: recipe.chunking.settings } : {};

/** What a plan depends on, in addition to the recipe. */
export const registered = (
  providers: Pick<EmbeddingProviders, 'models'>,
  version: EmbeddingVersion,
): Pick<RegisteredModel, 'limits' | 'pricePerMillionTokens'> => {
  const { limits = {}, pricePerMillionTokens } = providers.models().find((model) => model.version === version) ?? {};
  return { limits, ...(pricePerMillionTokens === undefined ? {} : { pricePerMillionTokens }) };
};
