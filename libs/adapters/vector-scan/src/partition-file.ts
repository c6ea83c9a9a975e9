import { existsSync } from 'node:fs';
import { fileStamps, sameStamps, type ClosedPartition } from '@palimpsest/contracts';
import { Corrupt, START, type IndexPartition, type Position } from '@palimpsest/knowledge';
import { FrameFile, VECTORS_FILE, vectorsFile } from './frame-file.ts';
import { partitionFolders } from './partition-folder.ts';
import { peekRows } from './row-codec.ts';

/** The file of one partition, and what is known of what it holds: how far it goes, how wide its vectors are. */
export class PartitionFile {
  readonly #name: IndexPartition;
  readonly #folder: string;
  readonly #frames: FrameFile;
  #exists = false;
  #position: Position = START;
  #dimensions = 0;
  /** What the mark of the last closing says, until the file was read through. */
  #unread: ClosedPartition | undefined;

  constructor(root: string, name: IndexPartition) {
    const folders = partitionFolders(root, name);
    this.#name = name;
    this.#folder = folders[0];
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

  get size(): number {
    return this.#frames.size;
  }

  get unread(): boolean {
    return this.#unread !== undefined;
  }

  /** Takes up what lies on disk: as `closed` says, unread, if the file is as it was then; else it is read through. @throws Corrupt */
  async open(closed?: ClosedPartition): Promise<void> {
    if (!existsSync(this.#frames.path)) return;
    if (closed !== undefined && sameStamps(closed.files, this.#stamps())) return this.#assume(closed);
    await this.readThrough();
    // A cut end looks like what a crash broke off; but it was whole when it was closed.
    if (closed !== undefined && this.#position < closed.position) throw new Corrupt(`the file ends at position ${this.#position}; it was closed at ${closed.position}`);
    this.#exists = true;
  }

  /** What the next opening may go by; undefined when it has to read the file. After a flush. */
  closed(): ClosedPartition | undefined {
    if (!this.#exists) return undefined;
    const files = this.#stamps();
    if (this.#unread) return sameStamps(this.#unread.files, files) ? this.#unread : undefined;
    if (files[0]?.size !== BigInt(this.size)) return undefined;
    return { partition: this.#name, position: this.#position, files, figures: { dimensions: this.#dimensions } };
  }

  /** @throws Corrupt when the file is damaged, or does not hold what the mark of the last closing says */
  async readThrough(visit: (payload: Uint8Array) => void = () => {}): Promise<void> {
    let [position, dimensions] = [START, 0];
    await this.#frames.recover((payload) => {
      ({ upTo: position, dimensions } = peekRows(payload));
      visit(payload);
    });
    if (this.#unread && (position !== this.#position || dimensions !== this.#dimensions))
      throw new Corrupt(`the file goes up to position ${position}; it was closed at ${this.#position}`);
    this.#unread = undefined;
    this.#position = position;
    this.#dimensions = dimensions;
  }

  /** Every payload up to now. @throws Corrupt */
  async visit(visit: (payload: Uint8Array) => void): Promise<void> {
    if (this.#unread) await this.readThrough(visit);
    else for await (const payload of this.#frames.payloads()) visit(payload);
  }

  /** One that was taken unread has to be read through before. */
  async append(payload: Uint8Array, upTo: Position, dimensions: number): Promise<void> {
    if (!this.#exists) await this.#frames.create();
    this.#exists = true;
    await this.#frames.append(payload);
    this.#position = upTo;
    this.#dimensions = dimensions;
  }

  /** Replaces the whole content, in one step, durably. */
  async rewrite(payloads: Iterable<Uint8Array>): Promise<void> {
    await this.#frames.rewrite(payloads);
  }

  async flush(): Promise<void> {
    if (this.#exists) await this.#frames.flush();
  }

  async remove(): Promise<void> {
    await this.#frames.remove();
    this.forget();
  }

  /** As if there were none. */
  forget(): void {
    this.#exists = false;
    this.#unread = undefined;
    this.#position = START;
    this.#dimensions = 0;
  }

  #assume(closed: ClosedPartition): void {
    this.#frames.assume(Number(closed.files[0]?.size));
    this.#unread = closed;
    this.#exists = true;
    this.#position = closed.position;
    this.#dimensions = closed.figures['dimensions'] ?? 0;
  }

  #stamps(): ClosedPartition['files'] {
    return fileStamps(this.#folder, [VECTORS_FILE]);
  }
}
