import { earlierOf, partitionKey, START } from '@palimpsest/knowledge';
import { domainCodec } from '@palimpsest/contracts';
import type { Checkpoints, IndexPartition, Position, ReadModels } from '@palimpsest/knowledge';
import { DelayedFlush } from './delayed-flush.ts';
import { ReadModelProjector, type ReadModelStores } from './read-model-projector.ts';

export type RunnerOptions = Readonly<{
  checkpoints: Checkpoints;
  /** Told of every failure of the loop, which then goes on after a pause. */
  onError: (error: unknown) => void;
  /** Index writes are made durable at least so often, in milliseconds. */
  flushEveryMs?: number;
}>;

export type ProjectionProgress = Readonly<{ name: string; position: Position }>;

const CHECKPOINT = 'read-models';
/** Traces and keys change no read model; following them would wake the projection for nothing. */
const PROJECTED = domainCodec.types().filter((type) => !/^(KnowledgeRetriev|ApiKey)/.test(type));
const RETRY_MS = 1_000;
/** Events projected at a time. Indexing the words of a batch holds up the event loop: 64 for half as long as 512, at a tenth more CPU. */
const BATCH = 128;

type Waiter = { position: Position; done: (reached: boolean) => void };

/** Keeps the read models following the log: from their checkpoint, for as long as the process lives. */
export class ReadModelRunner implements ReadModels {
  readonly #stores: ReadModelStores;
  readonly #options: RunnerOptions;
  readonly #waiters = new Set<Waiter>();
  #position: Position = START;
  #caughtUpOnce = false;
  /** Between `start` and `stop`. */
  #wanted = false;
  #paused = false;
  /** Work that needs the projection to stand still, one piece after the other. */
  #pauses: Promise<unknown> = Promise.resolve();
  #running: { stop: AbortController; ended: Promise<void> } | undefined;
  /** Where this process has come; unknown at first, and after the read models were dropped. */
  #resumeAfter: Position | undefined;
  readonly #flush: DelayedFlush;
  #failure: unknown;

  constructor(stores: ReadModelStores, options: RunnerOptions) {
    this.#stores = stores;
    this.#options = options;
    this.#flush = new DelayedFlush(() => this.#makeDurable(), options.flushEveryMs ?? 1_000, options.onError);
  }

  position(): Position {
    return this.#position;
  }

  serving(): boolean {
    return this.#caughtUpOnce;
  }

  /** Why the loop is not getting on, if it is not. */
  failure(): unknown {
    return this.#failure;
  }

  reached(position: Position, timeoutMs: number): Promise<boolean> {
    if (this.#position >= position) return Promise.resolve(true);
    return new Promise((resolve) => {
      const waiter: Waiter = { position, done: (reached) => (clearTimeout(timer), this.#waiters.delete(waiter), resolve(reached)) };
      const timer = setTimeout(() => waiter.done(false), timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  async progress(): Promise<readonly ProjectionProgress[]> {
    const indexed = this.#position;
    return [
      { name: 'catalog', position: await this.#stores.catalog.position() },
      { name: 'vectors', position: indexed },
      { name: 'lexical', position: indexed },
    ];
  }

  /** Starts following; does not wait for the read models to catch up. */
  start(): void {
    this.#wanted = true;
    this.#resume();
  }

  /** Finishes the batch under way and flushes. */
  async stop(): Promise<void> {
    this.#wanted = false;
    await this.#halt();
    for (const waiter of [...this.#waiters]) waiter.done(false);
  }

  /** Runs `work` while nothing is being projected and no other such work runs, then goes on from the checkpoints that it left. */
  whilePaused<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#pauses.then(async () => {
      this.#paused = true;
      await this.#halt();
      try {
        return await work();
      } finally {
        this.#paused = false;
        this.#resume();
      }
    });
    this.#pauses = done.catch(() => undefined);
    return done;
  }

  #resume(): void {
    if (!this.#wanted || this.#paused || this.#running) return;
    const stop = new AbortController();
    this.#running = { stop, ended: this.#loop(stop.signal) };
  }

  async #halt(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    running.stop.abort();
    await running.ended;
    if (this.#running === running) this.#running = undefined;
  }

  /** Empties every read model. Only while paused. */
  async dropAll(): Promise<void> {
    const { catalog, vectors, lexical } = this.#stores;
    this.#caughtUpOnce = false;
    this.#position = START;
    this.#resumeAfter = undefined;
    await this.#options.checkpoints.set(CHECKPOINT, START);
    await vectors.dropAll();
    await lexical.dropAll();
    await catalog.reset();
  }

  async #loop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error) {
        this.#failure = error;
        this.#options.onError(error);
        await pause(RETRY_MS, signal);
      }
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const projector = new ReadModelProjector(this.#stores);
    // After a failure the batch that failed is projected again, as it was or with more; after a start, all since the checkpoint.
    const after = this.#resumeAfter ?? (await this.#startingPoint());
    await projector.start();
    this.#position = after;
    this.#resumeAfter = after;
    for await (const { facts, upTo, caughtUp } of this.#stores.journal.follow({ after, signal, types: PROJECTED, maxBatch: BATCH })) {
      await projector.apply(facts, upTo);
      this.#failure = undefined;
      this.#reach(upTo);
      if (caughtUp) this.#caughtUpOnce = true;
      if (facts.length > 0) this.#flush.soon();
    }
    await this.#flush.now();
  }

  async #startingPoint(): Promise<Position> {
    const { catalog } = this.#stores;
    if (await this.#someIndexIsGone()) return START;
    return earlierOf(await catalog.position(), await this.#options.checkpoints.get(CHECKPOINT));
  }

  /** Whether an index that should hold something is missing or damaged: its folder was deleted, say. */
  async #someIndexIsGone(): Promise<boolean> {
    const { catalog, vectors, lexical } = this.#stores;
    const damaged = new Set([...vectors.damaged(), ...lexical.damaged()].map(({ partition }) => partitionKey(partition)));
    for (const { scope, generations } of await catalog.scopes()) {
      const [first] = await catalog.indexedDocuments(scope, 1);
      if (first === undefined) continue;
      for (const { id: generation, status } of generations) {
        const partition: IndexPartition = { scope, generation };
        // One that is being built may be empty for a good reason; only its damage tells that it is not.
        const holdsSomething = status === 'active' || status === 'standby' || (status === 'building' && damaged.has(partitionKey(partition)));
        if (holdsSomething && ((await vectors.position(partition)) === START || (await lexical.position(partition)) === START)) return true;
      }
    }
    return false;
  }

  async #makeDurable(): Promise<void> {
    const upTo = this.#position;
    await this.#stores.vectors.flush();
    await this.#stores.lexical.flush();
    await this.#options.checkpoints.set(CHECKPOINT, upTo);
  }

  #reach(position: Position): void {
    this.#position = position;
    this.#resumeAfter = position;
    for (const waiter of [...this.#waiters]) if (waiter.position <= position) waiter.done(true);
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
