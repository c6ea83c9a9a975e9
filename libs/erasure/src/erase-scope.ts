import type { Journal, Loaded } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import { timestamp } from '@palimpsest/foundation';
import { scope as decider, scopeStream, type Scope } from '@palimpsest/knowledge/deciders';
import type { ErasureCommand } from '@palimpsest/knowledge/erasure';
import type { ScopeKeys, Signer } from '@palimpsest/knowledge/ports';
import type { TenantScope } from '@palimpsest/knowledge/values';
import { purgeDerived, type DerivedStores } from './purge-derived.ts';
import { ResidueScans, type LocalFiles } from './residue-scans.ts';
import { ErasureReceipts } from './erasure-receipts.ts';
import { readLogRecords } from './log-records.ts';

export type EraseScopePorts = Readonly<{ journal: Journal; keys: ScopeKeys; signer: Signer; system: System; localFiles?: LocalFiles }> &
  DerivedStores;

type Action<C = ErasureCommand> = C extends unknown ? Omit<C, 'scope' | 'now'> : never;

const ACTOR = { actor: 'erasure', correlationId: 'erasure' };

/** Erases a scope, step by step: each step can be repeated, and a kill in between changes nothing. */
export class EraseScope {
  readonly #ports: EraseScopePorts;
  readonly #receipts: ErasureReceipts;
  readonly #scans: ResidueScans;

  constructor(ports: EraseScopePorts) {
    this.#ports = ports;
    this.#receipts = new ErasureReceipts(ports);
    this.#scans = new ResidueScans(ports);
  }

  load(of: TenantScope): Promise<Loaded<Scope>> {
    return this.#ports.journal.load(decider, scopeStream(of));
  }

  /** Requests the erasure of scopes whose key is destroyed without one: a backup of before their erasure was restored, without the key. */
  async adopt(): Promise<void> {
    for await (const of of this.#ports.keys.destroyed()) {
      const { opened, hold, erasure } = (await this.load(of)).state;
      if (!opened || erasure !== undefined) continue;
      if (hold) await this.#record(of, { type: 'Release' });
      await this.request(of);
    }
  }

  /** From here on it cannot be stopped. @throws Conflict while the scope is held */
  async request(of: TenantScope): Promise<void> {
    await this.#record(of, { type: 'RequestErasure', erasure: this.#ports.system.ids.next() });
  }

  /** Takes all steps that remain. */
  async run(of: TenantScope, signal: AbortSignal): Promise<void> {
    const { state } = await this.load(of);
    if (state.erasure?.state === 'requested') await this.makeUnreadable(of);
    if (state.erasure !== undefined && state.erasure.state !== 'completed') await this.#removeAndProve(of, signal);
  }

  /** The first step: from here on, what the key sealed cannot be read, and searches find nothing of it. */
  async makeUnreadable(of: TenantScope): Promise<void> {
    await this.#scans.prepare(of);
    await this.#ports.keys.destroy(of);
    await this.#record(of, { type: 'RecordErased' });
  }

  /** Forgets what was kept of a scope for the scan of its files. */
  forget(of: TenantScope): void {
    this.#scans.forget(of);
  }

  async #removeAndProve(of: TenantScope, signal: AbortSignal): Promise<void> {
    const { journal, system } = this.#ports;
    const events = await this.#receipts.eventsOf(scopeStream(of), ['ScopeErasureRequested', 'ScopeErased']);
    if (events === undefined) return;
    const { erased } = events;
    const found = await readLogRecords(journal, of, erased.position, { signal, scheduler: system.scheduler });
    const removed = await purgeDerived(this.#ports, {
      ...{ tenant: of.tenant, at: erased.position, uploads: found.uploads, signal },
      isJobOf: ({ scope }) => scope === of.scope,
      copies: { state: 'unreadable', detail: 'they are sealed under the destroyed key' },
    });
    const residueScan = await this.#scans.scan(of, signal);
    const about = { erasure: String(erased.data['erasure']), tenant: of.tenant, scope: of.scope };
    const receipt = await this.#receipts.write(events, found, { ...about, removed, residueScan }, signal);
    await this.#record(of, { type: 'CompleteErasure', receipt });
  }

  async #record(of: TenantScope, action: Action): Promise<void> {
    const { journal, system } = this.#ports;
    const command = { ...action, scope: of.scope, now: timestamp(system.clock) } as ErasureCommand;
    await journal.execute(decider, scopeStream(of), command, { ...of, ...ACTOR });
  }
}
