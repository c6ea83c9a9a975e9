import { decodePositions } from '@palimpsest/contracts';
import type { EventLog, RecordedEvent } from '@palimpsest/knowledge/ports';
import { START, type Position } from '@palimpsest/knowledge/values';

const REMOVED = 'DocumentHistoryRemoved';

/**
 * The records that the log has removed as old history: each is listed by a record that was written before. The lists are read when the
 * first record is missing.
 */
export class RemovedHistory {
  readonly #log: EventLog;
  #listed = new BigUint64Array();
  /** All lists up to it were read. */
  #upTo: Position | undefined;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Whether a record on the log lists the position. */
  async has(at: Position): Promise<boolean> {
    if (this.#contains(at)) return true;
    const head = await this.#log.head();
    if (head === this.#upTo) return false;
    // History may be removed while the log is checked.
    await this.#read(head);
    return this.#contains(at);
  }

  async #read(head: Position): Promise<void> {
    const lists = [this.#listed];
    const from = this.#upTo ?? START;
    for await (const record of this.#log.readAll({ from, upTo: head, types: [REMOVED] }))
      if (record.type === REMOVED) lists.push(BigUint64Array.from(positionsIn(record)));
    this.#upTo = head;
    if (lists.length === 1) return;
    const all = new BigUint64Array(lists.reduce((sum, { length }) => sum + length, 0));
    let end = 0;
    for (const list of lists) {
      all.set(list, end);
      end += list.length;
    }
    this.#listed = all.sort();
  }

  #contains(at: Position): boolean {
    let [low, high] = [0, this.#listed.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#listed[middle] ?? 0n) < at) low = middle + 1;
      else high = middle;
    }
    return this.#listed[low] === at;
  }
}

/** Nothing for a damaged list: the records in it are reported as removed. */
const positionsIn = ({ data }: RecordedEvent): readonly Position[] => {
  try {
    return decodePositions(START, String(data['positions']));
  } catch {
    return [];
  }
};
