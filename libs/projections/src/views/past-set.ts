import type { FactBatch, Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import { KnowledgeError, Unavailable } from '@palimpsest/knowledge/errors';
import type { RecordedEvent, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { CatalogView } from '@palimpsest/knowledge/read-models';
import { START, type Position, type TenantId } from '@palimpsest/knowledge/values';
import { Tombstones } from '../tombstones.ts';
import { LiveCopy, type CopiedSet, type LiveSet } from './live-copy.ts';
import { refuseIncomplete } from './removed-history.ts';
import { ViewBuild, type BuildPace } from './view-build.ts';

/** An empty set of read models, which `discard` deletes. `view`: the set as the view of the position up to which it is built. */
export type ScratchSet<View extends CatalogView> = Pick<CopiedSet, 'catalog'> &
  Partial<CopiedSet> &
  Readonly<{ view: (position: Position) => View; discard: () => Promise<void> }>;

type Ports<View extends CatalogView> = Readonly<{
  journal: Journal;
  keys: ScopeKeys;
  openScratch: () => Promise<ScratchSet<View>>;
  system: System;
  /** What a set can begin as a copy of: the live set now, if its indexes are those of this process. */
  live?: () => LiveSet;
  /** Called when a copy failed: the set is built from the log then. Or when that failed. */
  onFault: (error: unknown, doing: 'copying' | 'making') => void;
  /** Called when a set was made that did not exist before. */
  onMade: (from: 'copy' | 'log') => void;
}>;

/** Live searches are served between the steps. */
const SMALL_STEPS: BuildPace = { batch: () => 32, next: () => Promise.resolve() };

type Opened<View extends CatalogView> = Readonly<{ set: ScratchSet<View>; build: ViewBuild; from: 'copy' | 'log' }>;

/** A set of read models with the facts of one tenant up to a position. It can be built further, while nothing uses it. */
export class PastSet<View extends CatalogView> {
  readonly tenant: TenantId;
  /** Resolves when `target` is reached. */
  built: Promise<void>;
  target: Position;
  readonly #ports: Ports<View>;
  readonly #signal: AbortSignal;
  #opened: Opened<View> | undefined;
  #isBuilding = true;
  #users = 0;
  #onUnused: (() => void) | undefined;
  /** Everything up to it is projected. */
  #reached: Position = START;
  /** Position of the last event that was read, by the build or after it. */
  #lastSeen: Position = START;
  /** The tenant has no fact after `target` up to it. */
  #unchangedUpTo: Position = START;

  /** Begins to build. `turn` runs one build at a time. */
  constructor(
    ports: Ports<View>,
    { tenant, target, signal }: Readonly<{ tenant: TenantId; target: Position; signal: AbortSignal }>,
    turn: (build: () => Promise<void>) => Promise<void>,
  ) {
    this.tenant = tenant;
    this.target = target;
    this.#ports = ports;
    this.#signal = signal;
    this.built = turn(() => this.#makeUpTo(target));
  }

  get isBuilding(): boolean {
    return this.#isBuilding;
  }

  /** From 0 to 1, by position: how much of the log up to `target` is read. */
  get progress(): number {
    return this.target === START ? 1 : Number((this.#reached * 1_000n) / this.target) / 1_000;
  }

  /** Whether it is complete, and the same at this position. */
  covers(position: Position): boolean {
    return !this.#isBuilding && this.target <= position && position <= this.#unchangedUpTo;
  }

  /** Looks on the log whether the tenant has facts after this set up to a position. If not, the set covers that position, too. */
  async changesUntil(position: Position): Promise<boolean> {
    const { target } = this;
    const { journal } = this.#ports;
    const { handles } = this.#open().build;
    for await (const event of journal.log.readAll({ from: this.#lastSeen, upTo: position, types: handles })) {
      if (event.metadata['tenant'] === this.tenant) return true;
      if (target === this.target) this.#lastSeen = event.position;
    }
    if (target === this.target && position > this.#unchangedUpTo) this.#unchangedUpTo = position;
    return false;
  }

  /** Only while it has no users and is not being built. */
  advance(position: Position, turn: (build: () => Promise<void>) => Promise<void>): void {
    this.target = position;
    this.#isBuilding = true;
    this.built = turn(() => this.#makeUpTo(position));
  }

  /** Calls in progress. */
  get users(): number {
    return this.#users;
  }

  /** Calls `use` with the view of a position that the set covers. */
  async use<Result>(position: Position, use: (view: View) => Promise<Result>): Promise<Result> {
    this.#users += 1;
    try {
      return await use(this.#open().set.view(position));
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#onUnused?.();
    }
  }

  /** Resolves when no call is in progress. */
  async unused(): Promise<void> {
    if (this.#users > 0) await new Promise<void>((resolve) => (this.#onUnused = resolve));
  }

  /** Afterwards nothing of it is in memory, although the timer of its expiry still holds this object. */
  async discard(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.set.discard();
  }

  /** @throws Unavailable on a full disk: the caller can do nothing else about it */
  async #makeUpTo(position: Position): Promise<void> {
    try {
      await this.#buildUpTo(position);
    } catch (error) {
      if (error instanceof KnowledgeError) throw error;
      this.#ports.onFault(error, 'making');
      throw new Unavailable(`the read models as of position ${position} could not be made; the log of this process says why`, {
        cause: error,
      });
    }
  }

  async #buildUpTo(position: Position): Promise<void> {
    const { journal, onMade } = this.#ports;
    const [began, isNew] = [await journal.log.head(), this.#opened === undefined];
    const { build, from } = (this.#opened ??= await this.#start(position));
    await build.upTo(position);
    await refuseIncomplete(journal, began, this.tenant);
    if (isNew) onMade(from);
    this.#lastSeen = build.position;
    this.#reached = position;
    this.#unchangedUpTo = position;
    this.#isBuilding = false;
  }

  async #start(position: Position): Promise<Opened<View>> {
    const { journal, keys, openScratch, system } = this.#ports;
    const copied = await this.#copied(position);
    const set = copied ?? (await openScratch());
    const { catalog, vectors, lexical } = set;
    const target = { journal, keys, catalog, ...(vectors && lexical ? { vectors, lexical } : {}) };
    const { tenant } = this;
    const options = {
      ...(copied ? { from: position } : {}),
      signal: this.#signal,
      pace: SMALL_STEPS,
      isSkipped: ({ metadata }: RecordedEvent) => metadata['tenant'] !== tenant,
      tombstones: (from: Position, upTo: Position) => Tombstones.until(journal, upTo, from, { signal: this.#signal, tenant }),
      onWritten: ({ upTo }: FactBatch) => void (this.#reached = upTo),
    };
    const build = new ViewBuild(target, options, system);
    return { set, build, from: copied ? 'copy' : 'log' };
  }

  /** A set with the view of a position, made from the live one; nothing if that is not possible. */
  async #copied(position: Position): Promise<ScratchSet<View> | undefined> {
    const { live, openScratch, onFault } = this.#ports;
    if (live === undefined) return undefined;
    const set = await openScratch();
    const { catalog, vectors, lexical } = set;
    const onTakenBack = (share: number): void => {
      this.#reached = ((position * BigInt(Math.floor(1_000 * share))) / 1_000n) as Position;
    };
    const moment = { tenant: this.tenant, position, signal: this.#signal, onTakenBack };
    try {
      if (vectors && lexical && (await new LiveCopy(this.#ports, live(), { catalog, vectors, lexical }, moment).make())) return set;
    } catch (error) {
      onFault(error, 'copying');
    }
    this.#reached = START;
    await set.discard();
    return undefined;
  }

  #open(): Opened<View> {
    if (this.#opened === undefined) throw new Error('this set of read models is not open yet');
    return this.#opened;
  }
}
