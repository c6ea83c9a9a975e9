import { Door, type Admitted, type DoorLimit, type Later, type Refusal } from './door.ts';
import type { KindOfWork } from './kind-of-work.ts';

export type DoorLimits = Readonly<Record<KindOfWork, DoorLimit>> & Readonly<{ /** How long a request may wait for its turn, milliseconds. */ waitMs: number }>;

const TOLD_EVERY_MS = 10_000;

/** How many were let in, wait, and were refused since the start, by kind. */
export type DoorFigures = Readonly<Record<KindOfWork, Readonly<{ active: number; waiting: number; refused: number }>>>;

/** The doors of a process: one door for each kind of work, so that searches are not kept out by uploads. */
export class Doors {
  readonly #doors: Readonly<Record<KindOfWork, Door>>;
  readonly #refused: Record<KindOfWork, number> = { search: 0, write: 0, read: 0 };

  #toldAt = -Infinity;
  readonly #tell: (refused: Readonly<Record<KindOfWork, number>>) => void;

  /** `tell` learns of refusals as they begin, and then every ten seconds at most: how many there were since the start. */
  constructor({ waitMs, search, write, read }: DoorLimits, tell: (refused: Readonly<Record<KindOfWork, number>>) => void = () => undefined, later: Later = setImmediate) {
    this.#tell = tell;
    this.#doors = { search: new Door(search, waitMs, later), write: new Door(write, waitMs, later), read: new Door(read, waitMs, later) };
  }

  ask(kind: KindOfWork, bytes: number, enter: (admitted: Admitted) => void, refuse: (refusal: Refusal) => void): () => void {
    return this.#doors[kind].ask(bytes, enter, (refusal) => {
      this.#refused[kind]++;
      this.#tellSometimes();
      refuse(refusal);
    });
  }

  #tellSometimes(): void {
    const now = performance.now();
    if (now - this.#toldAt < TOLD_EVERY_MS) return;
    this.#toldAt = now;
    this.#tell({ ...this.#refused });
  }

  figures(): DoorFigures {
    const of = (kind: KindOfWork) => ({ active: this.#doors[kind].active, waiting: this.#doors[kind].waiting, refused: this.#refused[kind] });
    return { search: of('search'), write: of('write'), read: of('read') };
  }
}
