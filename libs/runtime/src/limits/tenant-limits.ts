import type { Journal } from '@palimpsest/contracts';
import { InvalidValue, requireRole, tenant as decider, tenantStream, withOverrides } from '@palimpsest/knowledge';
import type { Access, DomainEvent, HeldLimits, LimitOverrides, Position, TenantId, Tiers } from '@palimpsest/knowledge';
import { LogFold } from '../log-fold.ts';

/** What an operator said of a tenant; nothing until then. */
export type AssignedLimits = Readonly<{ tier?: string; overrides: LimitOverrides }>;
const NOTHING: AssignedLimits = { overrides: {} };

/** What each tenant may use: tiers as the settings have them, and what is said of single tenants as the log has it. */
export class TenantLimits {
  readonly #journal: Journal;
  readonly #tiers: Tiers;
  readonly #now: () => string;
  readonly #fold: LogFold;
  readonly #known = new Set<TenantId>();
  readonly #assigned = new Map<TenantId, AssignedLimits>();
  readonly #held = new Map<TenantId, HeldLimits>();
  readonly #usual: HeldLimits;

  constructor(journal: Journal, tiers: Tiers, now: () => string) {
    this.#journal = journal;
    this.#tiers = tiers;
    this.#now = now;
    this.#usual = this.#holding(NOTHING);
    this.#fold = new LogFold(journal, ['ApiKeyIssued', 'TenantLimitsSet'], ({ event, metadata }) => this.#apply(event, metadata.tenant));
  }

  start(after: Position, onError: (error: unknown) => void): Promise<void> {
    return this.#fold.start(after, onError);
  }

  stop(): Promise<void> {
    return this.#fold.stop();
  }

  of(tenant: TenantId): HeldLimits {
    return this.#held.get(tenant) ?? this.#usual;
  }

  assigned(tenant: TenantId): AssignedLimits {
    return this.#assigned.get(tenant) ?? NOTHING;
  }

  /** Those that have a key, or limits of their own, by name. */
  tenants(): readonly TenantId[] {
    return [...this.#known].sort();
  }

  /** In the place of what was said before. It holds here when this resolves, and in other processes a moment later. @throws Forbidden, InvalidValue */
  async set(by: Access, tenant: TenantId, { tier, overrides }: AssignedLimits, correlationId: string): Promise<void> {
    requireRole(by, 'operator');
    const names = Object.keys(this.#tiers.tiers);
    if (tier !== undefined && !names.includes(tier)) throw new InvalidValue('tier', names.length === 0 ? 'none, since no tiers are configured (PALIMPSEST_TIERS)' : `one of ${names.join(', ')}`, tier);
    const limits = { ...(tier === undefined ? {} : { tier }), overrides };
    const { position } = await this.#journal.execute(decider, tenantStream(tenant), { type: 'SetLimits', limits, now: this.#now() }, { tenant, actor: by.actor, correlationId });
    await this.#fold.reached(position);
  }

  #apply(event: DomainEvent, tenant: TenantId): void {
    this.#known.add(tenant);
    if (event.type !== 'TenantLimitsSet') return;
    const { setAt: _setAt, ...assigned } = event.data;
    this.#assigned.set(tenant, assigned);
    this.#held.set(tenant, this.#holding(assigned));
  }

  /** A tier that is not configured any more counts as none: the usual one, rather than no limits at all. */
  #holding({ tier: name, overrides }: AssignedLimits): HeldLimits {
    const { tiers, default: usual } = this.#tiers;
    const tier = name !== undefined && Object.hasOwn(tiers, name) ? name : usual;
    const limits = withOverrides(tier === undefined ? {} : (tiers[tier] ?? {}), overrides);
    return { limits, ...(tier === undefined ? {} : { tier }) };
  }
}
