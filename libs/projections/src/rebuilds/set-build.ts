import type { System } from '@palimpsest/foundation';
import type { RecordedEvent } from '@palimpsest/knowledge/ports';
import { scopeKey, START, type Position, type TenantId, type TenantScope, type VectorScope } from '@palimpsest/knowledge/values';
import type { ReadModelStores } from '../read-model-stores.ts';
import { Tombstones } from '../tombstones.ts';
import type { SetAlongside } from '../views/set-alongside.ts';
import { ViewBuild } from '../views/view-build.ts';
import type { RebuildRun } from './rebuild-run.ts';

/** Events that may be missing when the projection is paused for the last step. */
const FEW = 128;

/** `scopes`: only these. `end`: how far there is something to build. */
type Extent = Readonly<{ scopes?: readonly TenantScope[]; end: () => Promise<Position> }>;

/** Builds a second set of read models for a rebuild. */
export class SetBuild {
  readonly #run: RebuildRun;
  readonly #signal: AbortSignal;
  readonly #build: ViewBuild;
  readonly #end: Extent['end'];
  #built: Position = START;

  /** `stopping`: aborts when the process stops. */
  constructor(
    { journal, keys }: Pick<ReadModelStores, 'journal' | 'keys'>,
    { catalog, vectors, lexical, shared }: SetAlongside,
    run: RebuildRun,
    stopping: AbortSignal,
    system: System,
    { scopes, end }: Extent,
  ) {
    this.#run = run;
    this.#end = end;
    const signal = AbortSignal.any([stopping, run.signal]);
    this.#signal = signal;
    this.#build = new ViewBuild(
      { journal, keys, catalog, vectors, lexical, ...(shared ? { shared } : {}) },
      {
        signal,
        pace: run.pace,
        onWritten: ({ facts, upTo }) => run.reached(upTo, facts.length),
        // The live read models may not have reached later removals when the scopes take their place.
        ...(scopes ? { isSkipped: isOfOthers(scopes), tombstones: (from, upTo) => Tombstones.until(journal, upTo, from, { signal }) } : {}),
      },
      system,
    );
  }

  /** Everything up to it is built. */
  get position(): Position {
    return this.#built;
  }

  /** Builds until few events are missing, or until they do not become fewer. Returns while it is not paused. */
  async approach(): Promise<void> {
    for (let before = Infinity; ;) {
      const built = await this.toEnd();
      const missing = Number((await this.#end()) - built);
      if (missing <= FEW || missing >= before) break;
      before = missing;
    }
    await this.#run.pace.next(0, this.#signal);
  }

  /** Builds everything that there is now. Returns its position. @throws Conflict if it was cancelled, Unavailable if the process stops */
  async toEnd(): Promise<Position> {
    const end = await this.#end();
    this.#run.upTo(end);
    await this.#build.upTo(end);
    this.#run.reached(end, 0);
    this.#built = end;
    return end;
  }
}

/** Whether an event belongs to another scope. One without a scope changes no row of another one. */
const isOfOthers = (scopes: readonly TenantScope[]) => {
  const keys = new Set<string>(scopes.map(scopeKey));
  return ({ metadata: { tenant, scope } }: RecordedEvent): boolean =>
    typeof scope === 'string' && !keys.has(scopeKey({ tenant: tenant as TenantId, scope: scope as VectorScope }));
};
