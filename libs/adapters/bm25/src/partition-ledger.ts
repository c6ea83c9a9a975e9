import { FlushManifest, type FlushedPartition } from '@palimpsest/contracts';
import { sameStamps, shortened, type FileStamp } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { partitionKey, type IndexPartition } from '@palimpsest/knowledge/read-models';
import { START, type Position } from '@palimpsest/knowledge/values';
import { join } from 'node:path';
import { BM25_ANALYSER_VERSION } from './analysis/analyse.ts';
import { Damaged } from './storage/damaged.ts';
import { FLUSHED, frame } from './storage/frames.ts';

export type Damage = Readonly<{ partition: IndexPartition; reason: string }>;
export type StampsOf = (of: IndexPartition) => readonly FileStamp[];

/** Includes the versions of file format and analyser, so that the manifest is ignored for files of other versions. */
const MANIFEST_FORMAT = `lexical 3, analysed by ${BM25_ANALYSER_VERSION}`;

/** The bytes that a sync appends to the journal without syncing them. */
const SLACK = frame(FLUSHED).length;

/** The state of partitions that is known without loading them: their position, and which are unread, unrecorded, damaged or lost. */
export class PartitionLedger {
  readonly #manifest: FlushManifest;
  readonly #stampsOf: StampsOf;
  readonly #onDamage: (partition: IndexPartition, reason: string) => void;
  /** The position of each intact partition, loaded or not. */
  readonly #known = new Map<string, Readonly<{ of: IndexPartition; position: Position }>>();
  /** The manifest entries of partitions whose files were not read since they were flushed. */
  readonly #unread = new Map<string, FlushedPartition>();
  /** The manifest entries of the other partitions, while they are being read. */
  readonly #changed = new Map<string, FlushedPartition>();
  /** Partitions whose current files are not recorded in the manifest. */
  readonly #unrecorded = new Map<string, IndexPartition>();
  /** Partitions whose files contain removed chunks, or may contain them. */
  readonly #residue = new Map<string, IndexPartition>();
  readonly #damaged = new Map<string, Damage>();
  /** Damaged partitions that were not recreated yet. */
  readonly #unusable = new Set<string>();
  /** Partitions found damaged after opening. All calls on them fail until they are dropped, because partial results would be wrong. */
  readonly #lost = new Set<string>();
  #opened = false;

  constructor(root: string, stampsOf: StampsOf, onDamage: (partition: IndexPartition, reason: string) => void) {
    this.#manifest = new FlushManifest(join(root, 'lexical.synced'), MANIFEST_FORMAT);
    this.#stampsOf = stampsOf;
    this.#onDamage = onDamage;
  }

  /** Reads the manifest for these partitions, and returns those whose files have to be read. */
  async open(partitions: readonly IndexPartition[]): Promise<readonly IndexPartition[]> {
    const flushed = new Map((await this.#manifest.open()).map((one) => [partitionKey(one.partition), one]));
    return partitions.filter((of) => {
      const key = partitionKey(of);
      const entry = flushed.get(key);
      if (entry !== undefined && sameStamps(entry.files, this.#stampsOf(of))) {
        this.#unread.set(key, entry);
        this.#known.set(key, { of, position: entry.position });
        // Earlier versions did not record `residue`.
        this.residue(key, of, entry.figures['residue'] !== 0);
        return false;
      }
      if (entry !== undefined) this.#changed.set(key, entry);
      this.changed(key, of);
      return true;
    });
  }

  /** From now on callers may rely on the content of partitions: further damage is reported to `onDamage` too. */
  opened(): void {
    this.#opened = true;
    this.#changed.clear();
  }

  /** The files differ from the manifest. Call `synced` when they are on disk. */
  changed(key: string, of: IndexPartition): void {
    this.#unrecorded.set(key, of);
  }

  unrecorded(): readonly (readonly [string, IndexPartition])[] {
    return [...this.#unrecorded];
  }

  /** All of it is on disk; the next `commit` records it. */
  synced(key: string): void {
    const known = this.#known.get(key);
    if (known === undefined || !this.#unrecorded.has(key)) return;
    this.#manifest.stage({
      partition: known.of,
      position: known.position,
      files: this.#stampsOf(known.of),
      figures: { residue: this.#residue.has(key) ? 1 : 0 },
    });
    this.#unrecorded.delete(key);
  }

  /** Sets whether the files contain removed chunks. */
  residue(key: string, of: IndexPartition, holds: boolean): void {
    if (holds) this.#residue.set(key, of);
    else this.#residue.delete(key);
  }

  withResidue(): readonly IndexPartition[] {
    return [...this.#residue.values()];
  }

  /** Writes the manifest durably. */
  async commit(): Promise<void> {
    await this.#manifest.commit();
  }

  /** Call it before the files may hold less than the manifest records: before they are removed, recreated or merged. */
  async disclaim(of: IndexPartition): Promise<void> {
    await this.#manifest.forget(of);
  }

  /** Call it before all partitions are removed. */
  async disclaimAll(): Promise<void> {
    await this.#manifest.clear();
  }

  /** START when lost; undefined when the files have to be read. */
  position(key: string): Position | undefined {
    return this.#lost.has(key) ? START : this.#known.get(key)?.position;
  }

  reached(key: string, of: IndexPartition, position: Position): void {
    this.#known.set(key, { of, position });
  }

  /** Call it after reading the files. @throws Damaged when they hold less than the manifest records */
  read(key: string, of: IndexPartition, position: Position = START): void {
    const unread = this.#unread.get(key);
    if (unread !== undefined && unread.position !== position)
      throw new Damaged(`the files end at position ${position}, but position ${unread.position} was flushed`);
    const recorded = unread ?? this.#changed.get(key);
    if (recorded !== undefined) {
      const truncated = shortened(recorded.files, this.#stampsOf(of), SLACK);
      // A truncated file looks like an incomplete append after a crash, but this much was on disk.
      if (truncated !== undefined || position < recorded.position)
        throw new Damaged(`${truncated ?? 'journal'} ends at position ${position}, but position ${recorded.position} was on disk`);
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

  /** @throws Unavailable when the index is already open, because callers may rely on the partition */
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
    if (this.#lost.has(key)) throw new Unavailable(`the lexical index of ${key} is damaged and is being rebuilt from the log`);
  }

  /** Call it after the files were recreated or removed. */
  reset(key: string): void {
    this.forget(key);
    this.#unrecorded.delete(key);
    this.#unusable.delete(key);
    this.#lost.delete(key);
    this.#residue.delete(key);
  }

  /** Discards the known position: the files have to be read again. */
  forget(key: string): void {
    this.#known.delete(key);
    this.#unread.delete(key);
  }
}
