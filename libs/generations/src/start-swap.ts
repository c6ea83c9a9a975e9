import type { Executed, Journal } from '@palimpsest/contracts';
import { activeGeneration, scope as decider, scopeStream } from '@palimpsest/knowledge/deciders';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { Scope } from '@palimpsest/knowledge/deciders';
import type { Cutover, EventMetadata, ScopeEvent } from '@palimpsest/knowledge/events';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import type { EmbeddingVersion, TenantScope } from '@palimpsest/knowledge/values';

export type StartSwapPorts = Readonly<{ journal: Journal; providers: EmbeddingProviders; now: () => string }>;
/** `embeddingVersion`: default, the current model. `cutover`: default, automatic. */
export type SwapTarget = Readonly<{ embeddingVersion?: string; cutover?: Cutover }>;

/**
 * Starts a generation of this model, with the chunking that the scope has. The workers react to the event. Nothing happens if the scope
 * has the model or is being moved to it. @throws NotFound, Conflict, InvalidValue
 */
export const startSwap = async (
  { journal, providers, now }: StartSwapPorts,
  scope: TenantScope,
  by: Pick<EventMetadata, 'actor' | 'correlationId'>,
  { embeddingVersion, cutover }: SwapTarget = {},
): Promise<Executed<Scope, ScopeEvent>> => {
  const known = await journal.load(decider, scopeStream(scope));
  const recipe = providers.recipeOf(wanted(providers, embeddingVersion));
  const active = activeGeneration(known.state);
  const command = {
    type: 'StartGeneration' as const,
    scope: scope.scope,
    recipe: active ? { ...recipe, chunking: active.recipe.chunking } : recipe,
    ...(cutover === undefined ? {} : { cutover }),
    now: now(),
  };
  return journal.execute(decider, scopeStream(scope), command, { ...scope, ...by }, known);
};

const wanted = (providers: EmbeddingProviders, asked: string | undefined): EmbeddingVersion => {
  if (asked === undefined) return providers.current.version;
  const found = providers.versions().find((version) => version === asked);
  if (found === undefined) throw new InvalidValue('embeddingVersion', `a configured model: ${providers.versions().join(', ')}`, asked);
  return found;
};
