import { IdWindow } from './id-window.ts';

/** The ids of the latest messages of a partition and where each stood first, to recognise one that was published again. */
export class RecentIds {
  readonly #offsets: IdWindow<number>;
  /** Ids of all messages before this offset, as far back as it goes, were noted. */
  upTo = 0;

  constructor(most: number) {
    this.#offsets = new IdWindow(most);
  }

  /** Whether this id stood at an earlier offset already. Notes it otherwise. */
  isRepeated(id: string, offset: number): boolean {
    this.upTo = Math.max(this.upTo, offset + 1);
    const first = this.#offsets.get(id);
    if (first === undefined) this.#offsets.note(id, offset);
    return first !== undefined && first < offset;
  }
}
