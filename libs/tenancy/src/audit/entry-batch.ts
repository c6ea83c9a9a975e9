import type { AccessRecord } from '@palimpsest/knowledge/events';

/** One request. Equal requests are combined into one entry. */
export type AuditedRequest = Omit<AccessRecord, 'count' | 'until' | 'dropped'>;

type Entry = AccessRecord & { count: number; until?: string };

/** Entries of one stream that are not written yet. */
export class EntryBatch {
  readonly #changes: AccessRecord[] = [];
  readonly #reads = new Map<string, Entry>();
  #dropped = 0;

  get size(): number {
    return this.#changes.length + this.#reads.size;
  }

  /** Adds a change. Each change is a separate entry. */
  change(request: AuditedRequest): void {
    this.#changes.push({ ...request, count: 1 });
  }

  /** Adds a read. Returns false if it needs a new entry and `mayAdd` is false; then it is only counted. */
  read(request: AuditedRequest, mayAdd: boolean): boolean {
    const { at, requestId: _id, ...alike } = request;
    const key = JSON.stringify(alike);
    const entry = this.#reads.get(key);
    if (entry) {
      entry.count++;
      entry.until = at;
    } else if (mayAdd) this.#reads.set(key, { ...request, count: 1 });
    else this.#dropped++;
    return entry !== undefined || mayAdd;
  }

  /** Entries ordered by time. The first one contains the number of earlier requests that were only counted. */
  entries(): readonly AccessRecord[] {
    const [first, ...rest] = [...this.#changes, ...this.#reads.values()].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    return first === undefined ? [] : [{ ...first, ...(this.#dropped === 0 ? {} : { dropped: this.#dropped }) }, ...rest];
  }

  /** After a failure: changes move to the next batch, reads are only counted there. */
  keptFrom(failed: EntryBatch): void {
    this.#changes.unshift(...failed.#changes);
    this.#dropped += failed.#dropped + [...failed.#reads.values()].reduce((sum, { count }) => sum + count, 0);
  }
}
