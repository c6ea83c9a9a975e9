import { CleanClose, sameStamps, type ClosedPartition, type FileStamp } from '@palimpsest/contracts';
import { partitionKey, START, Unavailable, type IndexPartition, type Position } from '@palimpsest/knowledge';
import { join } from 'node:path';
import { BM25_ANALYSER_VERSION } from './analysis/analyse.ts';
import { Damaged } from './storage/damaged.ts';

export type Damage = Readonly<{ partition: IndexPartition; reason: string }>;
export type StampsOf = (of: IndexPartition) => readonly FileStamp[];

/** With the versions of files and analyser: a mark is not taken for files of others. */
const MARK_FORMAT = `lexical 1, analysed by ${BM25_ANALYSER_VERSION}`;

/** What is known of the partitions without loading them: how far each has come, which are unread, damaged, lost. */
export class PartitionLedger {
  readonly #mark: CleanClose;
  readonly #stampsOf: StampsOf;
  readonly #onDamage: (partition: IndexPartition, reason: string) => void;
  /** How far each sound partition has come, loaded or not. */
  readonly #known = new Map<string, Readonly<{ of: IndexPartition; position: Position }>>();
  /** What the mark of the last closing says of those whose files nobody has read since. */
  readonly #unread = new Map<string, ClosedPartition>();
  /** What it says of the others, while they are being read. */
  readonly #changed = new Map<string, ClosedPartition>();
  readonly #damaged = new Map<string, Damage>();
  /** Damaged, and not yet begun anew. */
  readonly #unusable = new Set<string>();
  /** Found damaged after opening: nothing is answered, nor taken, until they are dropped. Less than all would be a wrong answer. */
  readonly #lost = new Set<string>();
  #opened = false;

  constructor(root: string, stampsOf: StampsOf, onDamage: (partition: IndexPartition, reason: string) => void) {
    this.#mark = new CleanClose(join(root, 'lexical.closed'), MARK_FORMAT);
    this.#stampsOf = stampsOf;
    this.#onDamage = onDamage;
  }

  /** Takes the mark of a clean close for these partitions, and answers which of them have to be read. */
  async open(partitions: readonly IndexPartition[]): Promise<readonly IndexPartition[]> {
    const closed = new Map((await this.#mark.take()).map((one) => [partitionKey(one.partition), one]));
    return partitions.filter((of) => {
      const key = partitionKey(of);
      const then = closed.get(key);
      if (then === undefined) return true;
      if (!sameStamps(then.files, this.#stampsOf(of))) return this.#changed.set(key, then), true;
      this.#unread.set(key, then);
      this.#known.set(key, { of, position: then.position });
      return false;
    });
  }

  /** From now on somebody may rely on what a partition holds: damage is no longer a matter of `damaged` alone. */
  opened(): void {
    this.#opened = true;
    this.#changed.clear();
  }

  /** Leaves the mark. All has to be on disk. Without it the next opening reads everything: slower, and nothing worse. */
  async close(): Promise<void> {
    await this.#mark.leave([...this.#known].flatMap(([key, known]) => this.#closedAs(key, known) ?? [])).catch(() => undefined);
  }

  /** START when lost; undefined when only the files can tell. */
  position(key: string): Position | undefined {
    return this.#lost.has(key) ? START : this.#known.get(key)?.position;
  }

  reached(key: string, of: IndexPartition, position: Position): void {
    this.#known.set(key, { of, position });
  }

  /** The files were read. @throws Damaged when they do not hold what the mark of the last closing says */
  read(key: string, position: Position | undefined): void {
    const closed = this.#unread.get(key);
    if (closed !== undefined && closed.position !== position)
      throw new Damaged(`the files go up to position ${position ?? START}; they were closed at ${closed.position}`);
    const changed = this.#changed.get(key);
    // A cut end looks like what a crash broke off; but it was whole when it was closed.
    if (changed !== undefined && (position ?? START) < changed.position)
      throw new Damaged(`the files go up to position ${position ?? START}; they were closed at ${changed.position}`);
    this.#unread.delete(key);
  }

  unread(): readonly IndexPartition[] {
    return [...this.#unread.values()].map(({ partition }) => partition);
  }

  isUnread(key: string): boolean {
    return this.#unread.has(key);
  }

  damaged(): readonly Damage[] {
    return [...this.#damaged.values()];
  }

  isUsable(key: string): boolean {
    return !this.#unusable.has(key);
  }

  /** @throws Unavailable when the index is open, so that somebody may rely on the partition */
  damage(key: string, partition: IndexPartition, reason: string): undefined {
    this.forget(key);
    this.#damaged.set(key, { partition, reason });
    this.#unusable.add(key);
    if (!this.#opened) return;
    this.#lost.add(key);
    this.#onDamage(partition, reason);
    this.refuseLost(key);
  }

  /** @throws Unavailable */
  refuseLost(key: string): void {
    if (this.#lost.has(key)) throw new Unavailable(`the words of ${key} are damaged; they are made again from the log`);
  }

  /** Begun anew: there are new files, or none. */
  anew(key: string): void {
    this.forget(key);
    this.#unusable.delete(key);
    this.#lost.delete(key);
  }

  /** How far it has come, only its files know. */
  forget(key: string): void {
    this.#known.delete(key);
    this.#unread.delete(key);
  }

  #closedAs(key: string, { of, position }: Readonly<{ of: IndexPartition; position: Position }>): ClosedPartition | undefined {
    const files = this.#stampsOf(of);
    const unread = this.#unread.get(key);
    if (unread !== undefined) return sameStamps(unread.files, files) ? unread : undefined;
    return { partition: of, position, files, figures: {} };
  }
}
