import { permittedScope, type Access } from '@palimpsest/knowledge/access';
import { Conflict, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { refuseWaves, type FleetId, type FleetPlan, type FleetRule, type PlannedFleet } from '@palimpsest/knowledge/fleet';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import {
  chunkListOf,
  scopeKey,
  type ChunkingRecipe,
  type TenantId,
  type TenantScope,
  type VectorScope,
} from '@palimpsest/knowledge/values';
import { wantedModel } from '../wanted-recipe.ts';

/** A missing field has the default of the route. */
export type NewFleet = Readonly<{
  embeddingVersion?: string;
  chunking?: ChunkingRecipe['settings'];
  allTenants?: boolean;
  canary?: readonly Readonly<{ tenant?: TenantId; scope: VectorScope }>[];
  percents?: readonly number[];
  scopesAtOnce?: number;
  seed?: number;
}> &
  Partial<FleetRule>;

export type AskedFleetPorts = Readonly<{ catalog: Pick<CatalogReader, 'scopes'>; providers: EmbeddingProviders }>;

const DEFAULT_PERCENTS = [1, 10, 100];
const DEFAULT_SCOPES_AT_ONCE = 4;

/** What a fleet moves, and how, with the defaults. @throws InvalidValue; NotFound for a canary scope */
export const askedFleet = async (ports: AskedFleetPorts, access: Access, id: FleetId, input: NewFleet): Promise<FleetPlan> => {
  const tenant = input.allTenants === true ? undefined : access.tenant;
  const embeddingVersion = wantedModel(ports.providers, input.embeddingVersion);
  const percents = input.percents ?? DEFAULT_PERCENTS;
  refuseWaves({ percents });
  return {
    ...(tenant === undefined ? {} : { tenant }),
    embeddingVersion,
    ...(input.chunking === undefined ? {} : { chunking: input.chunking }),
    canary: await canaryOf(ports, access, input),
    percents,
    rule: {
      worsePercent: input.worsePercent ?? 0,
      faults: input.faults ?? 0,
      undecided: input.undecided ?? 'wait',
      advance: input.advance ?? 'manual',
    },
    scopesAtOnce: input.scopesAtOnce ?? DEFAULT_SCOPES_AT_ONCE,
    seed: input.seed ?? Number.parseInt(id.slice(0, 8), 16),
  };
};

/** A start by a plan may repeat what the plan says. @throws Conflict that names what is different */
export const refuseOthers = ({ fleet, plan }: Pick<PlannedFleet, 'fleet' | 'plan'>, access: Access, input: NewFleet): void => {
  const { embeddingVersion, allTenants, canary } = input;
  if (embeddingVersion !== undefined && embeddingVersion !== plan.embeddingVersion)
    throw new Conflict(`plan ${fleet} is for the model ${plan.embeddingVersion}, not ${embeddingVersion}: make a new plan`);
  if (allTenants !== undefined && allTenants !== (plan.tenant === undefined))
    throw new Conflict(`plan ${fleet} is for the scopes of ${plan.tenant ?? 'all tenants'}: make a new plan`);
  const { rule, percents, scopesAtOnce, seed } = plan;
  const named = canary?.map(({ tenant = access.tenant, scope }) => scopeKey({ tenant, scope })).join();
  const others = Object.entries({
    ...rule,
    percents: percents.join(),
    scopesAtOnce,
    seed,
    canary: plan.canary.map(scopeKey).join(),
    chunking: listOf(plan.chunking),
  });
  const asked: Readonly<Record<string, unknown>> = {
    ...input,
    percents: input.percents?.join(),
    canary: named,
    chunking: listOf(input.chunking),
  };
  const different = others.filter(([name, value]) => asked[name] !== undefined && asked[name] !== value).map(([name]) => name);
  if (different.length > 0)
    throw new Conflict(`plan ${fleet} was made with other ${different.join(', ')}: leave them out, or make a new plan`);
};

/** Independent of the order of the settings. */
const listOf = (settings: ChunkingRecipe['settings'] | undefined) => settings && chunkListOf({ settings, contextual: 'none' });

/** Scopes of other tenants may be named by an operator, who learns whether they exist, but nothing else. @throws NotFound, InvalidValue */
const canaryOf = async (
  { catalog }: AskedFleetPorts,
  access: Access,
  { canary = [], allTenants }: NewFleet,
): Promise<readonly TenantScope[]> => {
  const named = canary.map(({ tenant = access.tenant, scope }) => ({ tenant, scope }));
  if (named.length === 0) return [];
  if (allTenants !== true)
    for (const { tenant, scope } of named) {
      if (tenant !== access.tenant)
        throw new InvalidValue('canary', 'scopes of the own tenant; an operator names others with allTenants', tenant);
      permittedScope(access, scope);
    }
  const all = await catalog.scopes(allTenants === true ? undefined : access.tenant);
  const existing = new Set(all.map(({ scope }) => scopeKey(scope)));
  for (const scope of named) if (!existing.has(scopeKey(scope))) throw new NotFound('scope', scope.scope);
  return [...new Map(named.map((scope) => [scopeKey(scope), scope])).values()];
};
