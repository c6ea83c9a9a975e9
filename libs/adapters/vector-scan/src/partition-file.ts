import { existsSync } from 'node:fs';
import { fileStamps, sameStamps, shortened, type SyncedMark, type SyncedPartition } from '@palimpsest/contracts';
import { Corrupt, START, type IndexPartition, type Position } from '@palimpsest/knowledge';
import { storage } from './durable-files.ts';
import { FrameFile, VECTORS_FILE, vectorsFile } from './frame-file.ts';
import { FRAME_HEAD_BYTES } from './frames.ts';
import { partitionFolders } from './partition-folder.ts';
import { peekRows } from './row-codec.ts';

/** The file of one partition, and what is known of what it holds: how far it goes, how wide its vectors are. */
export class PartitionFile {
  readonly #name: IndexPartition;
  readonly #folder: string;
  readonly #frames: FrameFile;
  readonly #mark: SyncedMark;
  #exists = false;
  #position: Position = START;
  #dimensions = 0;
  #residue = false;
  /** What the mark says, until the file was read through. */
  #unread: SyncedPartition | undefined;
  /** Whether the mark was not told yet what is there. */
  #unnoted = false;

  constructor(root: string, name: IndexPartition, mark: SyncedMark) {
    const folders = partitionFolders(root, name);
    this.#name = name;
    this.#folder = folders[0];
    this.#mark = mark;
    this.#frames = new FrameFile(vectorsFile(this.#folder), folders);
  }

  /** As far as anybody looked: a file that is damaged does not. */
  get exists(): boolean {
    return this.#exists;
  }

  get position(): Position {
    return this.#position;
  }

  /** 0 before the first vector. */
  get dimensions(): number {
    return this.#dimensions;
  }

  /** Whether it holds what was removed or replaced, or may. */
  get residue(): boolean {
    return this.#residue;
  }

  get size(): number {
    return this.#frames.size;
  }

  get unread(): boolean {
    return this.#unread !== undefined;
  }

  /** Takes up what lies on disk: as the mark says, unread, if the file is as it was then; else it is read through. @throws Corrupt */
  async open(noted?: SyncedPartition): Promise<void> {
    if (!existsSync(this.#frames.path)) {
      if (noted === undefined) return;
      throw new Corrupt('the file is gone');
    }
    if (noted !== undefined && sameStamps(noted.files, this.#stamps())) return this.#assume(noted);
    await this.readThrough();
    if (noted !== undefined) this.#expect(noted);
    this.#exists = true;
    this.#unnoted = true;
  }

  /** @throws Corrupt when the file is damaged, or does not hold what the mark says */
  async readThrough(visit: (payload: Uint8Array) => void = () => {}): Promise<void> {
    let [position, dimensions, removed] = [START, 0, 0];
    await this.#frames.recover((payload) => {
      const { removals, ...found } = peekRows(payload);
      ({ upTo: position, dimensions } = found);
      removed += removals;
      visit(payload);
    });
    if (this.#unread && (position !== this.#position || dimensions !== this.#dimensions))
      throw new Corrupt(`the file goes up to position ${position}; it went up to ${this.#position}`);
    this.#position = position;
    this.#dimensions = dimensions;
    if (this.#unread) this.#expect(this.#unread);
    else this.#residue ||= removed > 0;
    this.#unread = undefined;
  }

  /** Every payload up to now. @throws Corrupt */
  async visit(visit: (payload: Uint8Array) => void): Promise<void> {
    if (this.#unread) await this.readThrough(visit);
    else for await (const payload of this.#frames.payloads()) visit(payload);
  }

  /** One that was taken unread has to be read through before. */
  async append(payload: Uint8Array, upTo: Position, dimensions: number): Promise<void> {
    this.#unnoted = true;
    this.#residue ||= peekRows(payload).removals > 0;
    if (!this.#exists) {
      await this.#disclaim();
      await this.#frames.create();
    }
    this.#exists = true;
    await this.#frames.append(payload);
    this.#position = upTo;
    this.#dimensions = dimensions;
  }

  /** Replaces the whole content, in one step, durably. */
  async rewrite(payloads: Iterable<Uint8Array>): Promise<void> {
    this.#unnoted = true;
    await this.#disclaim();
    await this.#frames.rewrite(payloads);
    this.#residue = false;
  }

  /** Rows that are in it were replaced. */
  leaveResidue(): void {
    this.#residue = true;
  }

  /** What is on disk then is staged in the mark. */
  async flush(): Promise<void> {
    if (!this.#exists) return;
    await this.#frames.flush();
    if (!this.#unnoted) return;
    const files = this.#stamps();
    // A write that failed left something behind the end.
    if (files[0]?.size !== BigInt(this.size)) return;
    this.#mark.stage({ partition: this.#name, position: this.#position, files, figures: { dimensions: this.#dimensions, residue: this.#residue ? 1 : 0 } });
    this.#unnoted = false;
  }

  async remove(): Promise<void> {
    await this.#disclaim();
    await this.#frames.remove();
    this.forget();
  }

  /** As if there were none. */
  forget(): void {
    this.#exists = false;
    this.#unread = undefined;
    this.#unnoted = false;
    this.#position = START;
    this.#dimensions = 0;
    this.#residue = false;
  }

  #assume(noted: SyncedPartition): void {
    this.#frames.assume(Number(noted.files[0]?.size));
    this.#unread = noted;
    this.#exists = true;
    this.#position = noted.position;
    this.#dimensions = noted.figures['dimensions'] ?? 0;
    // Earlier versions did not note it.
    this.#residue = noted.figures['residue'] !== 0;
  }

  /** A cut end looks like what a crash broke off; but this much was on disk. @throws Corrupt */
  #expect({ position, files }: SyncedPartition): void {
    if (this.#position < position || shortened(files, this.#stamps(), FRAME_HEAD_BYTES) !== undefined)
      throw new Corrupt(`the file ends at ${this.size} bytes and position ${this.#position}; ${files[0]?.size} bytes up to ${position} were on disk`);
  }

  /** Before less may be found than was noted. */
  async #disclaim(): Promise<void> {
    await storage(`noting ${this.#frames.path}`, () => this.#mark.forget(this.#name));
  }

  #stamps(): SyncedPartition['files'] {
    return fileStamps(this.#folder, [VECTORS_FILE]);
  }
}
