import { inTime, Mutex, pause, SYSTEM, timestamp, type System } from '@palimpsest/foundation';
import { positionAt, refuseRemovedHistory, type Journal } from '@palimpsest/contracts';
import { InvalidValue, NotCaughtUp, Overloaded, Unavailable } from '@palimpsest/knowledge/errors';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { CatalogView, ReadView } from '@palimpsest/knowledge/read-models';
import { type AsOf, asOfText, type Moment, type PastViews } from '@palimpsest/knowledge/past';
import type { Position, TenantId } from '@palimpsest/knowledge/values';
import type { LiveSet } from './live-copy.ts';
import { PastSet, type ScratchSet } from './past-set.ts';

type Ports<View extends CatalogView> = Readonly<{
  journal: Journal;
  keys: ScopeKeys;
  openScratch: () => Promise<ScratchSet<View>>;
  system?: System;
  /** If the indexes are those of this process: the live set now, which sets can begin as copies of. */
  live?: () => LiveSet;
}>;

/**
 * `max`: sets that are kept. `keepMs`: how long a set is kept after its first build, so documents that were deleted are in its files for as
 * long. `waitMs`: how long a call waits for a set that is being built. `maxBuilding`: sets that are being built or wait for it, of all
 * tenants and of one.
 */
type Options = Readonly<{
  max: number;
  keepMs: number;
  waitMs: number;
  maxBuilding: Readonly<{ total: number; tenant: number }>;
  onFault: (error: unknown, doing: 'deleting' | 'copying' | 'making') => void;
}>;

/**
 * Makes the views of earlier moments, each in a set of read models of its own: as a copy of the live set, or from the log. Keeps the last
 * ones for further calls. A set serves every later moment before the next fact of its tenant. A set without users is built further for a
 * later moment, so moments in ascending order read the log once.
 */
export class KeptPastViews<View extends CatalogView = ReadView> implements PastViews<View> {
  readonly #ports: ConstructorParameters<typeof PastSet<View>>[0];
  readonly #options: Options;
  /** In the order of their last use. */
  readonly #kept = new Set<PastSet<View>>();
  readonly #leaving = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #builds = new Mutex();
  readonly #made = { copy: 0, log: 0 };
  #building = 0;

  constructor(ports: Ports<View>, options: Options) {
    this.#ports = {
      system: SYSTEM,
      onFault: options.onFault,
      onMade: (from) => void this.#made[from]++,
      ...ports,
    };
    this.#options = options;
  }

  /** The sets that were made so far: as copies of the live read models, or from the log. */
  get made(): Readonly<Record<'copy' | 'log', number>> {
    return { ...this.#made };
  }

  async at<Result>({ tenant, asOf, scopes }: Moment, use: (view: View) => Promise<Result>): Promise<Result> {
    const position = await this.#positionOf(asOf);
    const read = scopes.map((scope) => ({ tenant, scope }));
    const refuse = (): Promise<void> => refuseRemovedHistory(this.#ports.journal.log, read, position);
    await refuse();
    const set = await this.#setFor(tenant, position);
    // Some may have been removed while the set was built.
    await refuse();
    this.#kept.delete(set);
    this.#kept.add(set);
    return set.use(position, use).finally(() => this.#makeRoom());
  }

  /** Deletes what is kept of a tenant, once the calls in progress have ended. */
  async forget(tenant: TenantId): Promise<void> {
    for (const set of this.#of(tenant)) this.#leave(set);
    await Promise.all(this.#leaving);
  }

  /** Ends what is being built, waits for the calls in progress, and deletes all sets. */
  async close(): Promise<void> {
    this.#stopping.abort();
    for (const set of this.#kept) this.#leave(set);
    await Promise.all(this.#leaving);
  }

  async #positionOf(asOf: AsOf): Promise<Position> {
    const { journal, system } = this.#ports;
    const { log } = journal;
    const head = await log.head();
    const isFuture = 'time' in asOf ? asOf.time > timestamp(system.clock) : asOf.position > head;
    if (isFuture)
      throw new InvalidValue('asOf', `a moment in the past: a time until now, or a position of at most ${head}`, asOfText(asOf));
    return 'time' in asOf ? positionAt(log, asOf.time) : asOf.position;
  }

  async #setFor(tenant: TenantId, position: Position): Promise<PastSet<View>> {
    for (;;) {
      if (this.#stopping.signal.aborted) throw new Unavailable('the process is stopping', { forCallers: true });
      const covering = this.#of(tenant).find((set) => set.covers(position));
      if (covering) return covering;
      const coming = this.#coming(tenant, position) ?? (await this.#extended(tenant, position));
      if (coming !== 'try again') await this.#wait(coming, position);
    }
  }

  #of(tenant: TenantId): readonly PastSet<View>[] {
    return [...this.#kept].filter((set) => set.tenant === tenant);
  }

  #coming(tenant: TenantId, position: Position): PastSet<View> | undefined {
    return this.#of(tenant).find((set) => set.isBuilding && set.target === position);
  }

  /** The newest set before the position, if it can be used: it covers the position, too, or it is built further. */
  async #extended(tenant: TenantId, position: Position): Promise<PastSet<View> | 'try again'> {
    const [newest] = this.#of(tenant)
      .filter((set) => !set.isBuilding && set.target <= position)
      .sort((a, b) => (a.target < b.target ? 1 : -1));
    if (newest === undefined) return this.#begin(tenant, position);
    const { target } = newest;
    const isChanged = await newest.changesUntil(position);
    // Other calls went on meanwhile.
    if (!isChanged || newest.isBuilding || newest.target !== target || !this.#kept.has(newest)) return 'try again';
    const coming = this.#coming(tenant, position);
    if (coming !== undefined) return coming;
    if (newest.users > 0) return this.#begin(tenant, position);
    this.#admit(tenant);
    newest.advance(position, this.#turn);
    this.#watch(newest);
    return newest;
  }

  #begin(tenant: TenantId, position: Position): PastSet<View> {
    this.#admit(tenant);
    const set = new PastSet(this.#ports, { tenant, target: position, signal: this.#stopping.signal }, this.#turn);
    this.#kept.add(set);
    this.#watch(set);
    set.built.then(
      () => void this.#expire(set),
      () => undefined,
    );
    return set;
  }

  /** Runs one build at a time: several would only take the cores from searches. */
  readonly #turn = (build: () => Promise<void>): Promise<void> => this.#builds.run(build);

  #admit(tenant: TenantId): void {
    const { total, tenant: each } = this.#options.maxBuilding;
    if (this.#building >= total || this.#of(tenant).filter((set) => set.isBuilding).length >= each)
      throw new Overloaded('the read models of other moments are being built; only a few can be built at a time', 5);
    this.#building += 1;
  }

  /** A set that could not be built is deleted. Its callers get the error, if there are still any. */
  #watch(set: PastSet<View>): void {
    set.built.then(
      () => (this.#building -= 1),
      () => {
        this.#building -= 1;
        this.#leave(set);
      },
    );
  }

  /** @throws NotCaughtUp if it takes longer than a call may wait, or the error of the build */
  async #wait(set: PastSet<View>, position: Position): Promise<void> {
    const { built } = set;
    if (
      (await inTime(
        built.then(() => true),
        this.#options.waitMs,
        false,
        this.#ports.system.scheduler,
      )) === true
    )
      return;
    if (set.isBuilding && this.#kept.has(set) && set.built === built)
      throw new NotCaughtUp(
        `the read models as of position ${position} are being built from the log (${Math.floor(100 * set.progress)} %); repeat the request to go on waiting`,
      );
    await built;
  }

  async #expire(set: PastSet<View>): Promise<void> {
    await pause(this.#options.keepMs, this.#stopping.signal, this.#ports.system.scheduler).catch(() => undefined);
    this.#leave(set);
  }

  #makeRoom(): void {
    for (const set of this.#kept) {
      if (this.#kept.size <= this.#options.max) return;
      if (set.users === 0 && !set.isBuilding) this.#leave(set);
    }
  }

  /** No further call gets the set. It is deleted when it is built and the calls in progress have ended. */
  #leave(set: PastSet<View>): void {
    if (!this.#kept.delete(set)) return;
    const leaving = this.#discard(set)
      .catch((error: unknown) => this.#options.onFault(error, 'deleting'))
      .finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }

  async #discard(set: PastSet<View>): Promise<void> {
    await set.built.catch(() => undefined);
    await set.unused();
    await set.discard();
  }
}
