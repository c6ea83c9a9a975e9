import { pause } from '@palimpsest/foundation';
import type { Journal } from '@palimpsest/contracts';
import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import type { DomainEvent, Fact } from '@palimpsest/knowledge/events';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { PastViews, ReadView } from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';
import { Tombstones } from '../tombstones.ts';
import type { SetAlongside } from './set-alongside.ts';
import { ViewBuild } from './view-build.ts';

/** An empty set of read models, which `discard` deletes. */
export type ScratchSet = Omit<SetAlongside, 'exchange'>;

type Ports = Readonly<{ journal: Journal; keys: ScopeKeys; openScratch: () => Promise<ScratchSet> }>;

/**
 * `max`: views that are kept. `keepMs`: how long a view is kept after it was built; documents that are deleted meanwhile stay in its files
 * for as long.
 */
type Options = Readonly<{ max: number; keepMs: number; onFault: (error: unknown) => void }>;

/** `users`: calls in progress. `unused`: called when the last of them has ended. */
type Kept = { readonly built: Promise<Readonly<{ view: ReadView; set: ScratchSet; head: Position }>>; users: number; unused?: () => void };

/** Builds the views of earlier positions from the log, each in a set of read models of its own, and keeps the last ones for further calls. */
export class KeptPastViews implements PastViews {
  readonly #ports: Ports;
  readonly #options: Options;
  /** In the order of their last use. */
  readonly #kept = new Map<Position, Kept>();
  readonly #leaving = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(ports: Ports, options: Options) {
    this.#ports = ports;
    this.#options = options;
  }

  async at<Result>(position: Position, use: (view: ReadView) => Promise<Result>): Promise<Result> {
    const head = await this.#ports.journal.log.head();
    if (position > head) throw new InvalidValue('position', `a position on the log, at most ${head}`, String(position));
    await this.#leaveIncomplete(position, head);
    if (this.#stopping.signal.aborted) throw new Unavailable('the process is stopping', { forCallers: true });
    const kept = this.#kept.get(position) ?? this.#begin(position, head);
    kept.users += 1;
    this.#kept.delete(position);
    this.#kept.set(position, kept);
    try {
      return await use((await kept.built).view);
    } finally {
      kept.users -= 1;
      if (kept.users === 0) kept.unused?.();
      this.#leaveOldest();
    }
  }

  /** Ends what is being built, waits for the calls in progress, and deletes all views. */
  async close(): Promise<void> {
    this.#stopping.abort();
    for (const [position, kept] of this.#kept) this.#leave(position, kept);
    await Promise.all(this.#leaving);
  }

  /** A kept view is built again once a document was deleted since. */
  async #leaveIncomplete(position: Position, head: Position): Promise<void> {
    const kept = this.#kept.get(position);
    if (kept === undefined) return;
    const built = await kept.built;
    if ((await this.#deleted(built.head, head)).size > 0) this.#leave(position, kept);
  }

  #begin(position: Position, head: Position): Kept {
    const kept: Kept = { built: this.#build(position, head), users: 0 };
    this.#kept.set(position, kept);
    kept.built.then(
      () => void this.#expire(position, kept),
      () => this.#kept.get(position) === kept && this.#kept.delete(position),
    );
    return kept;
  }

  async #build(position: Position, head: Position): Promise<Awaited<Kept['built']>> {
    const { journal, keys, openScratch } = this.#ports;
    const deleted = await this.#deleted(position, head);
    const set = await openScratch();
    try {
      const { catalog, vectors, lexical } = set;
      await new ViewBuild(
        { journal, keys, catalog, vectors, lexical },
        {
          signal: this.#stopping.signal,
          tombstones: () => Tombstones.until(journal, position),
          isOmitted: (fact) => deleted.has(documentOf(fact)),
        },
      ).upTo(position);
      return { view: { catalog, vectors, lexical, position: () => position, serving: () => true }, set, head };
    } catch (error) {
      await set.discard();
      throw error;
    }
  }

  /** Documents that were deleted after `from`, up to `upTo`. */
  async #deleted(from: Position, upTo: Position): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    if (from < upTo)
      for await (const fact of this.#ports.journal.readAll({ from, upTo, types: ['DocumentDeleted'] })) found.add(documentOf(fact));
    return found;
  }

  async #expire(position: Position, kept: Kept): Promise<void> {
    await pause(this.#options.keepMs, this.#stopping.signal).catch(() => undefined);
    this.#leave(position, kept);
  }

  #leaveOldest(): void {
    for (const [position, kept] of this.#kept) {
      if (this.#kept.size <= this.#options.max) return;
      if (kept.users === 0) this.#leave(position, kept);
    }
  }

  /** No further call gets the view. It is deleted when the calls in progress have ended. */
  #leave(position: Position, kept: Kept): void {
    if (this.#kept.get(position) !== kept) return;
    this.#kept.delete(position);
    const leaving = this.#discard(kept)
      .catch(this.#options.onFault)
      .finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }

  async #discard(kept: Kept): Promise<void> {
    const built = await kept.built.catch(() => undefined);
    if (kept.users > 0) await new Promise<void>((resolve) => (kept.unused = resolve));
    await built?.set.discard();
  }
}

/** Tenant and document; the empty string for a fact that concerns no document. */
const documentOf = ({ event, metadata: { tenant } }: Fact<DomainEvent>): string =>
  'documentId' in event.data ? `${tenant}/${event.data.documentId}` : '';
