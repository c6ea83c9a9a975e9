import type { AppendAnswer, EncodedAppend } from './log-calls.ts';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

/** Limits of one group, chosen so that the next group does not wait for long. */
const GROUP_APPENDS = 1024;
const GROUP_UNITS = 4 * 1024 * 1024;

type Waiting = Readonly<{ append: EncodedAppend; resolve: (answer: AppendAnswer) => void; reject: (error: unknown) => void }>;

/**
 * Group commit: appends that arrive while one group is being flushed form the next group, which shares one transaction and one flush.
 * Appends are executed in the order of the `add` calls.
 */
export class AppendQueue {
  readonly #flush: (appends: readonly EncodedAppend[]) => Promise<readonly AppendAnswer[]>;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;

  /** `flush` returns the result of each append, in order, once all of them are on disk. */
  constructor(flush: (appends: readonly EncodedAppend[]) => Promise<readonly AppendAnswer[]>) {
    this.#flush = flush;
  }

  /** Resolves when the append is on disk or in conflict; rejects when its group could not be written. */
  add(append: EncodedAppend): Promise<AppendAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ append, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when no append is waiting or in progress. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  async #drain(): Promise<void> {
    do {
      await turnOfTheLoop(); // callers that just got their result may append again: let them join this group
      await this.#flushGroup(this.#takeGroup());
    } while (this.#waiting.length > 0);
    this.#draining = undefined;
  }

  #takeGroup(): readonly Waiting[] {
    let units = 0;
    const exceedsGroup = ({ append }: Waiting, index: number): boolean => {
      units += append.lines.length;
      return index > 0 && (index >= GROUP_APPENDS || units > GROUP_UNITS);
    };
    const end = this.#waiting.findIndex(exceedsGroup);
    const group = end === -1 ? this.#waiting : this.#waiting.slice(0, end);
    this.#waiting = end === -1 ? [] : this.#waiting.slice(end);
    return group;
  }

  async #flushGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.#flush(group.map(({ append }) => append));
      group.forEach(({ resolve, reject }, index) => {
        const answer = answers[index];
        if (answer === undefined) reject(new Error('the writer returned no result for an append'));
        else resolve(answer);
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
