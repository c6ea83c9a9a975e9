type Lane = { writer: Promise<unknown>; readers: Set<Promise<unknown>>; users: number };

/**
 * For each partition: one writer at a time, in the order of the calls, and no concurrent readers. The server shows a batch piece by
 * piece. So within this process, a search waits for a running call of `apply` instead of seeing a part of it.
 */
export class PartitionLocks {
  readonly #lanes = new Map<string, Lane>();

  read<T>(key: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#enter(key);
    const done = lane.writer.then(work);
    const settled = done.then(nothing, nothing);
    lane.readers.add(settled);
    void settled.then(() => lane.readers.delete(settled));
    return this.#leaving(key, lane, done);
  }

  write<T>(key: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#enter(key);
    const done = Promise.all([lane.writer, ...lane.readers]).then(work);
    lane.readers = new Set();
    lane.writer = done.then(nothing, nothing);
    return this.#leaving(key, lane, done);
  }

  #enter(key: string): Lane {
    const lane = this.#lanes.get(key) ?? { writer: Promise.resolve(), readers: new Set(), users: 0 };
    this.#lanes.set(key, lane);
    lane.users++;
    return lane;
  }

  async #leaving<T>(key: string, lane: Lane, done: Promise<T>): Promise<T> {
    try {
      return await done;
    } finally {
      if (--lane.users === 0) this.#lanes.delete(key);
    }
  }
}

const nothing = (): void => undefined;
