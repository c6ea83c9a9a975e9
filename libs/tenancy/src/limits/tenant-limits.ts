import type { Journal } from '@palimpsest/contracts';
import type { Scheduler } from '@palimpsest/foundation';
import { tenant as decider, tenantStream } from '@palimpsest/knowledge/deciders';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { projection } from '@palimpsest/knowledge/events';
import { withOverrides } from '@palimpsest/knowledge/limits';
import type { Access } from '@palimpsest/knowledge/access';
import type { Fact, TenantLimitsSet } from '@palimpsest/knowledge/events';
import type { EffectiveLimits, LimitOverrides, Tiers } from '@palimpsest/knowledge/limits';
import type { Position, TenantId } from '@palimpsest/knowledge/values';
import { InMemoryProjection } from '@palimpsest/contracts';

/** Tier and overrides that an operator assigned to a tenant. */
export type AssignedLimits = Readonly<{ tier?: string; overrides: LimitOverrides }>;
const NOT_ASSIGNED: AssignedLimits = { overrides: {} };

/** The limits of each tenant: tiers from the settings, assignments of single tenants from the log. */
export class TenantLimits {
  readonly #journal: Journal;
  readonly #tiers: Tiers;
  readonly #now: () => string;
  readonly #projection: InMemoryProjection;
  readonly #known = new Set<TenantId>();
  readonly #assigned = new Map<TenantId, AssignedLimits>();
  readonly #effective = new Map<TenantId, EffectiveLimits>();
  readonly #defaultLimits: EffectiveLimits;

  constructor(journal: Journal, tiers: Tiers, now: () => string, scheduler?: Scheduler) {
    this.#journal = journal;
    this.#tiers = tiers;
    this.#now = now;
    this.#defaultLimits = this.#resolve(NOT_ASSIGNED);
    this.#projection = new InMemoryProjection(
      journal,
      projection('tenant-limits', {
        ApiKeyIssued: ({ metadata }) => void this.#known.add(metadata.tenant),
        TenantLimitsSet: (fact) => this.#set(fact),
      }),
      scheduler,
    );
  }

  start(after: Position, onError: (error: unknown) => void): Promise<void> {
    return this.#projection.start(after, onError);
  }

  stop(): Promise<void> {
    return this.#projection.stop();
  }

  of(tenant: TenantId): EffectiveLimits {
    return this.#effective.get(tenant) ?? this.#defaultLimits;
  }

  assigned(tenant: TenantId): AssignedLimits {
    return this.#assigned.get(tenant) ?? NOT_ASSIGNED;
  }

  /** Tenants with an API key or assigned limits, sorted by name. */
  tenants(): readonly TenantId[] {
    return [...this.#known].sort();
  }

  /**
   * Replaces the assigned limits. They apply in this process when the promise resolves, and in other processes a moment later.
   * @throws InvalidValue
   */
  async set(by: Access, tenant: TenantId, { tier, overrides }: AssignedLimits, correlationId: string): Promise<void> {
    const names = Object.keys(this.#tiers.tiers);
    if (tier !== undefined && !names.includes(tier))
      throw new InvalidValue(
        'tier',
        names.length === 0 ? 'no tier, since no tiers are configured (PALIMPSEST_TIERS)' : `one of ${names.join(', ')}`,
        tier,
      );
    const limits = { ...(tier === undefined ? {} : { tier }), overrides };
    const { position } = await this.#journal.execute(
      decider,
      tenantStream(tenant),
      { type: 'SetLimits', limits, now: this.#now() },
      { tenant, actor: by.actor, correlationId },
    );
    await this.#projection.reached(position);
  }

  #set({
    event: {
      data: { setAt: _setAt, ...assigned },
    },
    metadata: { tenant },
  }: Fact<TenantLimitsSet>): void {
    this.#known.add(tenant);
    this.#assigned.set(tenant, assigned);
    this.#effective.set(tenant, this.#resolve(assigned));
  }

  /** A tier that is no longer configured is replaced by the default tier, so that the tenant is not without limits. */
  #resolve({ tier: name, overrides }: AssignedLimits): EffectiveLimits {
    const { tiers, default: byDefault } = this.#tiers;
    const tier = name !== undefined && Object.hasOwn(tiers, name) ? name : byDefault;
    const limits = withOverrides(tier === undefined ? {} : (tiers[tier] ?? {}), overrides);
    return { limits, ...(tier === undefined ? {} : { tier }) };
  }
}
