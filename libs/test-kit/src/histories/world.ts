import { createHash } from 'node:crypto';
import { removeDocumentHistory, type RemovedHistory } from '@palimpsest/contracts';
import fc from 'fast-check';
import { ScopeKeyDestroyed, type EventLog } from '@palimpsest/knowledge/ports';
import { subjectId, type SubjectKey } from '@palimpsest/knowledge/subjects';
import {
  laterOf,
  position,
  scopeKey,
  START,
  tenantId,
  vectorScope,
  type Position,
  type TenantId,
  type TenantScope,
} from '@palimpsest/knowledge/values';
import { InMemoryEventLog } from '../in-memory/in-memory-event-log.ts';
import { InMemoryScopeKeys } from '../in-memory/in-memory-scope-keys.ts';
import { applyStep, steps, type Step } from './random-history.ts';
import { Scenario, SCOPE } from './scenario.ts';

/** Two scopes of one tenant, and a scope of another tenant with the same name. */
export const PLACES: readonly [TenantScope, ...TenantScope[]] = [
  SCOPE,
  { tenant: SCOPE.tenant, scope: vectorScope('deployment') },
  { tenant: tenantId('globex'), scope: SCOPE.scope },
];

type Erasure = Readonly<{ do: 'erase subject' | 'destroy key' | 'erase scope' }>;
/** Of all documents of a scope. `quarters`: how much of the log is old. */
type Removal = Readonly<{ do: 'remove history'; quarters: number }>;

/** `aboutPerson`: its document is about a person. `wait`: the live read models catch up after it. */
export type WorldStep = Readonly<{ place: number; step: Step | Erasure | Removal; aboutPerson: boolean; wait: boolean }>;

const isErasure = (step: WorldStep['step']): step is Erasure =>
  step.do === 'erase subject' || step.do === 'destroy key' || step.do === 'erase scope';

const erasures: fc.Arbitrary<Erasure> = fc.record({
  do: fc.constantFrom('erase subject' as const, 'erase subject' as const, 'destroy key' as const, 'erase scope' as const),
});

const removals: fc.Arbitrary<Removal> = fc.record({ do: fc.constant('remove history' as const), quarters: fc.constantFrom(2, 3, 4, 4) });

/** Most steps are in one scope, so that they meet. */
export const worldHistories: fc.Arbitrary<readonly WorldStep[]> = fc.array(
  fc.record({
    place: fc.constantFrom(0, 0, 0, 1, 2),
    step: fc.oneof({ weight: 14, arbitrary: steps }, { weight: 1, arbitrary: erasures }, { weight: 5, arbitrary: removals }),
    aboutPerson: fc.boolean(),
    wait: fc.boolean(),
  }),
  { minLength: 1, maxLength: 24, size: 'max' },
);

const PERSON = subjectId('ann@example.org');
const ERASURE = '00000000-0000-4000-8000-000000000001';

/** A log that several scopes write, with keys that can be destroyed. Everything in it is the same for the same history. */
export class World {
  readonly log: EventLog;
  readonly keys = new InMemoryScopeKeys('right', undefined, sameBytes());
  /** The latest key of the person in each tenant. */
  readonly #persons = new Map<TenantId, SubjectKey>();
  readonly #scenarios: readonly Scenario[];
  readonly #unrecorded = new Set<string>();
  readonly removals: Record<RemovedHistory, number> = { removed: 0, left: 0, none: 0 };
  readonly #earliest = new Map<TenantId, Position>();

  private constructor(log: EventLog) {
    this.log = log;
    this.#scenarios = PLACES.map((place) => new Scenario(log, this.keys, place, (name) => this.#aboutWhom(place.tenant, name)));
  }

  static async begin(log: EventLog = new InMemoryEventLog()): Promise<World> {
    const world = new World(log);
    for (const [i, scenario] of world.#scenarios.entries()) {
      await world.#meet((PLACES[i] ?? SCOPE).tenant);
      await scenario.begin();
    }
    return world;
  }

  /** Whether the log says what the scope should have: not between the destruction of its key and the record of that. */
  isKnown({ tenant, scope }: Readonly<{ tenant: string; scope: string }>): boolean {
    // Rows without a scope are about the whole tenant.
    return ![...this.#unrecorded].some((unrecorded) =>
      scope === '' ? unrecorded.startsWith(`${tenant}/`) : unrecorded === `${tenant}/${scope}`,
    );
  }

  async apply({ place, step, aboutPerson }: WorldStep): Promise<void> {
    const [scope = SCOPE, scenario] = [PLACES[place], this.#scenarios[place]];
    if (!scenario) throw new Error(`there is no place ${place}`);
    try {
      if (step.do === 'remove history') await this.#removeHistory(scope, scenario, step);
      else if (!isErasure(step))
        await applyStep(scenario, aboutPerson && 'name' in step ? { ...step, name: this.#nameAbout(scope.tenant, step.name) } : step);
      else if (step.do === 'erase subject') await this.#eraseSubject(scope.tenant);
      else await this.#eraseScope(scope, scenario, step.do === 'erase scope');
    } catch (error) {
      // What a caller gets who writes to an erased scope.
      if (!(error instanceof ScopeKeyDestroyed)) throw error;
    }
  }

  /** Earlier moments of the tenant are not complete any more: their history was removed. */
  earliest(tenant: TenantId): Position {
    return this.#earliest.get(tenant) ?? START;
  }

  /** It waits while a generation is being built, which looks for chunks that are on the log. */
  async #removeHistory(scope: TenantScope, scenario: Scenario, { quarters }: Removal): Promise<void> {
    if ((await scenario.generations()).some(({ status }) => status === 'building')) return;
    const upTo = position(((await this.log.head()) * BigInt(quarters)) / 4n);
    this.#earliest.set(scope.tenant, laterOf(this.earliest(scope.tenant), upTo));
    const ports = { journal: scenario.journal, now: () => '2026-11-28T00:00:00.000Z', removeUploads: async () => undefined };
    for (const id of scenario.documents()) this.removals[await removeDocumentHistory(ports, { ...scope, id }, upTo)] += 1;
  }

  /** The documents are deleted before the key is destroyed (ADR 56). */
  async #eraseSubject(tenant: TenantId): Promise<void> {
    for (const [i, scenario] of this.#scenarios.entries())
      if (PLACES[i]?.tenant === tenant) await scenario.deletedWhere((name) => this.#aboutWhom(tenant, name) !== undefined);
    const subject = this.#persons.get(tenant);
    if (subject === undefined) return;
    await this.keys.subjects.destroy({ tenant, subject });
    await this.keys.subjects.forget({ tenant, subject });
    await this.#meet(tenant);
  }

  async #eraseScope(scope: TenantScope, scenario: Scenario, recorded: boolean): Promise<void> {
    await scenario.scope({ type: 'RequestErasure', erasure: ERASURE });
    await this.keys.destroy(scope);
    this.#unrecorded.add(scopeKey(scope));
    if (!recorded) return;
    await scenario.scope({ type: 'RecordErased' });
    this.#unrecorded.delete(scopeKey(scope));
  }

  async #meet(tenant: TenantId): Promise<void> {
    this.#persons.set(tenant, await this.keys.subjects.of(tenant, PERSON));
  }

  /** The key is part of the identity of a document: a person who comes back has other documents. */
  #nameAbout(tenant: TenantId, name: string): string {
    return `${name} about ${this.#persons.get(tenant)}`;
  }

  #aboutWhom(tenant: TenantId, name: string): Readonly<{ id: typeof PERSON; key: SubjectKey }> | undefined {
    const key = this.#persons.get(tenant);
    return key !== undefined && name.includes(`about ${key}`) ? { id: PERSON, key } : undefined;
  }
}

const sameBytes = (): ((count: number) => Buffer) => {
  let calls = 0;
  return (count) => createHash('shake256', { outputLength: count }).update(String(calls++)).digest();
};
