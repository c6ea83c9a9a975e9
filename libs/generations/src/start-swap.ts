import type { Executed, Journal } from '@palimpsest/contracts';
import { activeGeneration, scope as decider, scopeStream } from '@palimpsest/knowledge/deciders';
import { InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import type { Scope } from '@palimpsest/knowledge/deciders';
import type { Cutover, EventMetadata, ScopeEvent } from '@palimpsest/knowledge/events';
import type { PlanId } from '@palimpsest/knowledge/plans';
import type { EmbeddingProviders, RegisteredModel } from '@palimpsest/knowledge/ports';
import type { EmbeddingVersion, TenantScope } from '@palimpsest/knowledge/values';

/** `requirePlan`: whether swaps need an approved plan. */
export type StartSwapPorts = Readonly<{ journal: Journal; providers: EmbeddingProviders; now: () => string; requirePlan?: boolean }>;
/** `embeddingVersion`: default, the current model. `cutover`: default, automatic. */
export type SwapTarget = Readonly<{ embeddingVersion?: string; cutover?: Cutover }>;
/** A plan says both. `chunks`: how many the scope has now. */
export type PlannedTarget = Readonly<{ plan: PlanId; chunks: number }>;

/**
 * Starts a generation of this model, with the chunking that the scope has. The workers react to the event. Nothing happens if the scope
 * has the model or is being moved to it. @throws NotFound, Conflict, InvalidValue
 */
export const startSwap = async (
  { journal, providers, now, requirePlan = false }: StartSwapPorts,
  scope: TenantScope,
  by: Pick<EventMetadata, 'actor' | 'correlationId'>,
  { embeddingVersion, cutover, ...planned }: SwapTarget & Partial<PlannedTarget> = {},
): Promise<Executed<Scope, ScopeEvent>> => {
  const known = await journal.load(decider, scopeStream(scope));
  const { plan } = known.state;
  const followed = planned.plan === undefined ? undefined : plan;
  if (planned.plan !== undefined && !plan) throw new NotFound(`plan of scope "${scope.scope}"`, planned.plan);
  const version = wantedModel(providers, embeddingVersion ?? followed?.recipe.embedding.version);
  const recipe = providers.recipeOf(version);
  const way = cutover ?? followed?.cutover;
  const active = activeGeneration(known.state);
  const command = {
    type: 'StartGeneration' as const,
    scope: scope.scope,
    recipe: active ? { ...recipe, chunking: active.recipe.chunking } : recipe,
    ...(way === undefined ? {} : { cutover: way }),
    ...(planned.plan === undefined ? {} : { plan: { id: planned.plan, chunks: planned.chunks ?? 0, ...registered(providers, version) } }),
    ...(requirePlan ? { approval: 'required' as const } : {}),
    now: now(),
  };
  return journal.execute(decider, scopeStream(scope), command, { ...scope, ...by }, known);
};

/** @throws InvalidValue naming the models that there are */
export const wantedModel = (providers: Pick<EmbeddingProviders, 'current' | 'versions'>, asked: string | undefined): EmbeddingVersion => {
  if (asked === undefined) return providers.current.version;
  const found = providers.versions().find((version) => version === asked);
  if (found === undefined) throw new InvalidValue('embeddingVersion', `a configured model: ${providers.versions().join(', ')}`, asked);
  return found;
};

/** What a plan depends on, in addition to the recipe. */
export const registered = (
  providers: Pick<EmbeddingProviders, 'models'>,
  version: EmbeddingVersion,
): Pick<RegisteredModel, 'limits' | 'pricePerMillionTokens'> => {
  const { limits = {}, pricePerMillionTokens } = providers.models().find((model) => model.version === version) ?? {};
  return { limits, ...(pricePerMillionTokens === undefined ? {} : { pricePerMillionTokens }) };
};
