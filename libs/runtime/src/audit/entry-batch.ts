import type { AccessRecord } from '@palimpsest/knowledge';

/** One request. Entries are made from one or several that are alike. */
export type AuditedRequest = Omit<AccessRecord, 'count' | 'until' | 'dropped'>;

type Entry = AccessRecord & { count: number; until?: string };

/** What gathers for one stream until it is written. */
export class EntryBatch {
  readonly #changes: AccessRecord[] = [];
  readonly #reads = new Map<string, Entry>();
  #dropped = 0;

  get size(): number {
    return this.#changes.length + this.#reads.size;
  }

  /** Kept as it is: each change is an entry of its own. */
  change(request: AuditedRequest): void {
    this.#changes.push({ ...request, count: 1 });
  }

  /** Returns false where a new entry would be needed and `mayAdd` is false; then it is only counted. */
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

  /** In the order of their time; the first one says how many requests before it were only counted. */
  entries(): readonly AccessRecord[] {
    const [first, ...rest] = [...this.#changes, ...this.#reads.values()].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    return first === undefined ? [] : [{ ...first, ...(this.#dropped === 0 ? {} : { dropped: this.#dropped }) }, ...rest];
  }

  /** After a failure: changes are tried again with the next batch, reads are counted there. */
  keptFrom(failed: EntryBatch): void {
    this.#changes.unshift(...failed.#changes);
    this.#dropped += failed.#dropped + [...failed.#reads.values()].reduce((sum, { count }) => sum + count, 0);
  }
}
