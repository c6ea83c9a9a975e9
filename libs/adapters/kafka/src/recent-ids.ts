import { IdWindow } from './id-window.ts';

/** The ids of the latest messages of a partition with their first offsets, to recognise repeated messages. */
export class RecentIds {
  readonly #offsets: IdWindow<number>;
  /** The ids of all messages before this offset were noted, as far as the window goes back. */
  upTo = 0;

  constructor(max: number) {
    this.#offsets = new IdWindow(max);
  }

  /** Whether this id occurred at an earlier offset. Notes it otherwise. */
  isRepeated(id: string, offset: number): boolean {
    this.upTo = Math.max(this.upTo, offset + 1);
    const first = this.#offsets.get(id);
    if (first === undefined) this.#offsets.note(id, offset);
    return first !== undefined && first < offset;
  }
}
