import type { System } from '@palimpsest/foundation';
import type { Position } from '@palimpsest/knowledge/values';
import type { ReadModelStores } from '../read-model-stores.ts';
import type { SetAlongside } from '../views/set-alongside.ts';
import { ViewBuild } from '../views/view-build.ts';
import type { RebuildRun } from './rebuild-run.ts';

/** Events that may be missing when the projection is paused for the last step. */
const FEW = 128;

/** Builds a second set of read models for a rebuild. */
export class SetBuild {
  readonly #journal: ReadModelStores['journal'];
  readonly #run: RebuildRun;
  readonly #signal: AbortSignal;
  readonly #build: ViewBuild;

  /** `stopping`: aborts when the process stops. */
  constructor(
    { journal, keys }: Pick<ReadModelStores, 'journal' | 'keys'>,
    { catalog, vectors, lexical, shared }: SetAlongside,
    run: RebuildRun,
    stopping: AbortSignal,
    system: System,
  ) {
    this.#journal = journal;
    this.#run = run;
    this.#signal = AbortSignal.any([stopping, run.signal]);
    this.#build = new ViewBuild(
      { journal, keys, catalog, vectors, lexical, ...(shared ? { shared } : {}) },
      { signal: this.#signal, pace: run.pace, onWritten: ({ facts, upTo }) => run.reached(upTo, facts.length) },
      system,
    );
  }

  /** Builds until few events are missing, or until they do not become fewer. Returns while it is not paused. */
  async approach(): Promise<void> {
    for (let before = Infinity; ;) {
      const built = await this.toEnd();
      const missing = Number((await this.#journal.log.head()) - built);
      if (missing <= FEW || missing >= before) break;
      before = missing;
    }
    await this.#run.pace.next(0, this.#signal);
  }

  /** Builds everything that is on the log now. Returns its position. @throws Conflict if it was cancelled, Unavailable if the process stops */
  async toEnd(): Promise<Position> {
    const head = await this.#journal.log.head();
    this.#run.upTo(head);
    await this.#build.upTo(head);
    this.#run.reached(head, 0);
    return head;
  }
}
