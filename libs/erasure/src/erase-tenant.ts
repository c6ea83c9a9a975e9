import type { Journal, Loaded } from '@palimpsest/contracts';
import { timestamp, type System } from '@palimpsest/foundation';
import {
  scope as scopeDecider,
  scopeStream,
  tenant as decider,
  tenantStream,
  type Tenant,
  type TenantCommand,
} from '@palimpsest/knowledge/deciders';
import { Conflict } from '@palimpsest/knowledge/errors';
import type { ScopeKeys, Signer } from '@palimpsest/knowledge/ports';
import type { TenantId, VectorScope } from '@palimpsest/knowledge/values';
import type { EraseScope } from './erase-scope.ts';
import { ErasureReceipts } from './erasure-receipts.ts';
import { readLogRecords } from './log-records.ts';

export type EraseTenantPorts = Readonly<{ journal: Journal; keys: ScopeKeys; signer: Signer; system: System }>;
type Scopes = Pick<EraseScope, 'load' | 'request' | 'makeUnreadable' | 'run'>;
type By = Readonly<{ actor: string; correlationId: string }>;

const ACTOR: By = { actor: 'erasure', correlationId: 'erasure' };

const NOT_COVERED = ['names of the API keys and limits of the tenant, and its audit trail and retrieval records until they expire'];

/** Erases a tenant: revokes its API keys, and erases each of its scopes. Each step can be repeated. */
export class EraseTenant {
  readonly #ports: EraseTenantPorts;
  readonly #scopes: Scopes;
  readonly #receipts: ErasureReceipts;

  constructor(ports: EraseTenantPorts, scopes: Scopes) {
    this.#ports = ports;
    this.#scopes = scopes;
    this.#receipts = new ErasureReceipts(ports);
  }

  load(tenant: TenantId): Promise<Loaded<Tenant>> {
    return this.#ports.journal.load(decider, tenantStream(tenant));
  }

  /** All scopes that were ever opened. */
  async scopesOf(tenant: TenantId): Promise<readonly VectorScope[]> {
    const found = new Set<VectorScope>();
    for await (const { event, metadata } of this.#ports.journal.readAll({ types: ['ScopeOpened'] }))
      if (event.type === 'ScopeOpened' && metadata.tenant === tenant) found.add(event.data.scope);
    return [...found].sort();
  }

  /** From here on it cannot be stopped, and no key of the tenant works. @throws Conflict while a scope of it is held */
  async request(tenant: TenantId, by: By): Promise<void> {
    for (const scope of await this.scopesOf(tenant)) {
      const { state } = await this.#ports.journal.load(scopeDecider, scopeStream({ tenant, scope }));
      if (state.hold) throw new Conflict(`scope "${scope}" of the tenant is held, and must not be erased: release it first`);
    }
    await this.#record(tenant, { type: 'RequestErasure', erasure: this.#ports.system.ids.next() }, by);
  }

  /** Takes all steps that remain. */
  async run(tenant: TenantId, signal: AbortSignal): Promise<void> {
    if ((await this.#state(tenant)) === 'requested') await this.makeUnreadable(tenant);
    if ((await this.#state(tenant)) === 'erased') await this.#completeAndProve(tenant, signal);
  }

  /** Destroys the keys of all scopes, also of those that requests in progress opened meanwhile. */
  async makeUnreadable(tenant: TenantId): Promise<void> {
    const done = new Set<VectorScope>();
    for (let open = await this.scopesOf(tenant); open.some((scope) => !done.has(scope)); open = await this.scopesOf(tenant))
      for (const scope of open) {
        if (done.has(scope)) continue;
        await this.#scopes.request({ tenant, scope });
        const { state } = await this.#scopes.load({ tenant, scope });
        if (state.erasure?.state === 'requested') await this.#scopes.makeUnreadable({ tenant, scope });
        done.add(scope);
      }
    await this.#ports.keys.subjects.forgetAll(tenant);
    await this.#record(tenant, { type: 'RecordErased', scopes: [...done].sort() });
  }

  async #completeAndProve(tenant: TenantId, signal: AbortSignal): Promise<void> {
    const { journal, system } = this.#ports;
    const events = await this.#receipts.eventsOf(tenantStream(tenant), ['TenantErasureRequested', 'TenantErased']);
    const { erasure } = (await this.load(tenant)).state;
    if (events === undefined || erasure === undefined) return;
    const { scopes = [] } = erasure;
    for (const scope of scopes) await this.#scopes.run({ tenant, scope }, signal);
    const found = await readLogRecords(journal, { tenant, whole: true }, events.erased.position, { signal, scheduler: system.scheduler });
    const removed = [
      { store: 'scopes', state: 'removed' as const, detail: `${scopes.length} scopes, each with a receipt of its own` },
      { store: 'API keys', state: 'removed' as const, detail: 'all of the tenant were revoked' },
    ];
    const about = { erasure: erasure.erasure, tenant, scopes, removed, notCovered: NOT_COVERED };
    await this.#record(tenant, { type: 'CompleteErasure', receipt: await this.#receipts.write(events, found, about, signal) });
  }

  async #state(tenant: TenantId): Promise<string | undefined> {
    return (await this.load(tenant)).state.erasure?.state;
  }

  async #record(tenant: TenantId, action: ActionOf<TenantCommand>, by: By = ACTOR): Promise<void> {
    const { journal, system } = this.#ports;
    const command = { ...action, now: timestamp(system.clock) } as TenantCommand;
    await journal.execute(decider, tenantStream(tenant), command, { tenant, ...by });
  }
}

type ActionOf<C> = C extends unknown ? Omit<C, 'now'> : never;
