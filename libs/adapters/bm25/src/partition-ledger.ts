import { sameStamps, shortened, SyncedMark, type FileStamp, type SyncedPartition } from '@palimpsest/contracts';
import { partitionKey, START, Unavailable, type IndexPartition, type Position } from '@palimpsest/knowledge';
import { join } from 'node:path';
import { BM25_ANALYSER_VERSION } from './analysis/analyse.ts';
import { Damaged } from './storage/damaged.ts';
import { FLUSHED, frame } from './storage/frames.ts';

export type Damage = Readonly<{ partition: IndexPartition; reason: string }>;
export type StampsOf = (of: IndexPartition) => readonly FileStamp[];

/** With the versions of files and analyser: a mark is not taken for files of others. */
const MARK_FORMAT = `lexical 2, analysed by ${BM25_ANALYSER_VERSION}`;

/** What a sync adds to the journal, and does not sync. */
const SLACK = frame(FLUSHED).length;

/** What is known of the partitions without loading them: how far each has come, which are unread, unnoted, damaged, lost. */
export class PartitionLedger {
  readonly #mark: SyncedMark;
  readonly #stampsOf: StampsOf;
  readonly #onDamage: (partition: IndexPartition, reason: string) => void;
  /** How far each sound partition has come, loaded or not. */
  readonly #known = new Map<string, Readonly<{ of: IndexPartition; position: Position }>>();
  /** What the mark says of those whose files nobody has read since they were flushed. */
  readonly #unread = new Map<string, SyncedPartition>();
  /** What it said of the others, while they are being read. */
  readonly #changed = new Map<string, SyncedPartition>();
  /** Those of which the mark does not say what is there. */
  readonly #unnoted = new Map<string, IndexPartition>();
  /** Those whose files hold what was removed, or may. */
  readonly #residue = new Map<string, IndexPartition>();
  readonly #damaged = new Map<string, Damage>();
  /** Damaged, and not yet begun anew. */
  readonly #unusable = new Set<string>();
  /** Found damaged after opening: nothing is answered, nor taken, until they are dropped. Less than all would be a wrong answer. */
  readonly #lost = new Set<string>();
  #opened = false;

  constructor(root: string, stampsOf: StampsOf, onDamage: (partition: IndexPartition, reason: string) => void) {
    this.#mark = new SyncedMark(join(root, 'lexical.synced'), MARK_FORMAT);
    this.#stampsOf = stampsOf;
    this.#onDamage = onDamage;
  }

  /** Takes the mark for these partitions, and answers which of them have to be read. */
  async open(partitions: readonly IndexPartition[]): Promise<readonly IndexPartition[]> {
    const noted = new Map((await this.#mark.open()).map((one) => [partitionKey(one.partition), one]));
    return partitions.filter((of) => {
      const key = partitionKey(of);
      const then = noted.get(key);
      if (then !== undefined && sameStamps(then.files, this.#stampsOf(of))) {
        this.#unread.set(key, then);
        this.#known.set(key, { of, position: then.position });
        // Earlier versions did not note it.
        this.residue(key, of, then.figures['residue'] !== 0);
        return false;
      }
      if (then !== undefined) this.#changed.set(key, then);
      this.changed(key, of);
      return true;
    });
  }

  /** From now on somebody may rely on what a partition holds: damage is no longer a matter of `damaged` alone. */
  opened(): void {
    this.#opened = true;
    this.#changed.clear();
  }

  /** The mark does not say what is there: `synced` has to come when it is on disk. */
  changed(key: string, of: IndexPartition): void {
    this.#unnoted.set(key, of);
  }

  unnoted(): readonly (readonly [string, IndexPartition])[] {
    return [...this.#unnoted];
  }

  /** All of it is on disk: is noted with the next `note`. */
  synced(key: string): void {
    const known = this.#known.get(key);
    if (known === undefined || !this.#unnoted.has(key)) return;
    this.#mark.stage({ partition: known.of, position: known.position, files: this.#stampsOf(known.of), figures: { residue: this.#residue.has(key) ? 1 : 0 } });
    this.#unnoted.delete(key);
  }

  /** Whether the files hold what was removed. */
  residue(key: string, of: IndexPartition, holds: boolean): void {
    if (holds) this.#residue.set(key, of);
    else this.#residue.delete(key);
  }

  withResidue(): readonly IndexPartition[] {
    return [...this.#residue.values()];
  }

  /** Durably. */
  async note(): Promise<void> {
    await this.#mark.commit();
  }

  /** Before less may be found of it than was noted: before it is removed, begun anew, or merged. */
  async disclaim(of: IndexPartition): Promise<void> {
    await this.#mark.forget(of);
  }

  /** Before all are removed. */
  async disclaimAll(): Promise<void> {
    await this.#mark.clear();
  }

  /** START when lost; undefined when only the files can tell. */
  position(key: string): Position | undefined {
    return this.#lost.has(key) ? START : this.#known.get(key)?.position;
  }

  reached(key: string, of: IndexPartition, position: Position): void {
    this.#known.set(key, { of, position });
  }

  /** The files were read. @throws Damaged when they do not hold what the mark says */
  read(key: string, of: IndexPartition, position: Position = START): void {
    const unread = this.#unread.get(key);
    if (unread !== undefined && unread.position !== position) throw new Damaged(`the files go up to position ${position}; they went up to ${unread.position}`);
    const noted = unread ?? this.#changed.get(key);
    if (noted !== undefined) {
      const less = shortened(noted.files, this.#stampsOf(of), SLACK);
      // A cut end looks like what a crash broke off; but this much was on disk.
      if (less !== undefined || position < noted.position) throw new Damaged(`${less ?? 'journal'} ends at position ${position}; more was on disk, up to ${noted.position}`);
    }
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
    this.#unnoted.delete(key);
    this.#unusable.delete(key);
    this.#lost.delete(key);
    this.#residue.delete(key);
  }

  /** How far it has come, only its files know. */
  forget(key: string): void {
    this.#known.delete(key);
    this.#unread.delete(key);
  }
}
