import { existsSync } from 'node:fs';
import { fileSeal, partitionFolder, type FlushManifest, type FlushedPartition } from '@palimpsest/contracts';
import { fileStamps, sameStamps, shortened } from '@palimpsest/foundation';
import { Corrupt } from '@palimpsest/knowledge/errors';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import { START, type Position } from '@palimpsest/knowledge/values';
import { FrameFile, VECTORS_FILE, vectorsFile } from './frame-file.ts';
import { FRAME_HEAD_BYTES } from './frames.ts';
import { peekRows } from './row-codec.ts';
import { storage } from './storage.ts';

/** With the version of the format. */
const KIND = 'vectors 2';

/** The file of one partition, with the position and the number of dimensions of its content. */
export class PartitionFile {
  readonly #name: IndexPartition;
  readonly #folder: string;
  readonly #frames: FrameFile;
  readonly #manifest: FlushManifest;
  #exists = false;
  #position: Position = START;
  #dimensions = 0;
  #residue = false;
  /** The entry of the flush manifest, until the file was read. */
  #unread: FlushedPartition | undefined;
  /** Whether the manifest does not record the current file yet. */
  #unrecorded = false;

  constructor(root: string, name: IndexPartition, manifest: FlushManifest, keys: Pick<ScopeKeys, 'cipher'>) {
    this.#name = name;
    this.#folder = partitionFolder(root, name, 'vectors');
    this.#manifest = manifest;
    this.#frames = new FrameFile(vectorsFile(this.#folder), root, (id) => fileSeal(keys, name, KIND, id));
  }

  /** Whether the file exists. False for a file that was found damaged. */
  get exists(): boolean {
    return this.#exists;
  }

  get position(): Position {
    return this.#position;
  }

  /** 0 until the first vector is added. */
  get dimensions(): number {
    return this.#dimensions;
  }

  /** Whether it contains removed or replaced rows, or may contain them. */
  get residue(): boolean {
    return this.#residue;
  }

  get size(): number {
    return this.#frames.size;
  }

  get unread(): boolean {
    return this.#unread !== undefined;
  }

  /** Opens the file on disk. Reads it only when it changed since the flush that the manifest records. @throws Corrupt */
  async open(flushed?: FlushedPartition): Promise<void> {
    if (!existsSync(this.#frames.path)) {
      if (flushed === undefined) return;
      throw new Corrupt('the file is missing');
    }
    if (flushed !== undefined && sameStamps(flushed.files, this.#stamps())) return this.#assume(flushed);
    await this.readThrough();
    if (flushed !== undefined) this.#expect(flushed);
    this.#exists = true;
    this.#unrecorded = true;
  }

  /** @throws Corrupt when the file is damaged, or does not contain what the manifest records */
  async readThrough(visit: (payload: Uint8Array) => void = () => {}): Promise<void> {
    let [position, dimensions, removed] = [START, 0, 0];
    await this.#frames.recover((payload) => {
      const { removals, ...found } = peekRows(payload);
      ({ upTo: position, dimensions } = found);
      removed += removals;
      visit(payload);
    });
    if (this.#unread && (position !== this.#position || dimensions !== this.#dimensions))
      throw new Corrupt(`the file ends at position ${position}, but position ${this.#position} was flushed`);
    this.#position = position;
    this.#dimensions = dimensions;
    if (this.#unread) this.#expect(this.#unread);
    else this.#residue ||= removed > 0;
    this.#unread = undefined;
    if (this.#frames.isClear) await this.#rewrite(this.#frames.payloads());
  }

  /** Visits every payload so far. @throws Corrupt */
  async visit(visit: (payload: Uint8Array) => void): Promise<void> {
    if (this.#unread) await this.readThrough(visit);
    else for await (const payload of this.#frames.payloads()) visit(payload);
  }

  /** A file that was not read at opening must be read before the first append. */
  async append(payload: Uint8Array, upTo: Position, dimensions: number): Promise<void> {
    this.#unrecorded = true;
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

  /** Replaces the whole content atomically and durably. */
  async rewrite(payloads: Iterable<Uint8Array>): Promise<void> {
    await this.#rewrite(payloads);
    this.#residue = false;
  }

  async #rewrite(payloads: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
    this.#unrecorded = true;
    await this.#disclaim();
    await this.#frames.rewrite(payloads);
  }

  /** Call it when rows in the file were replaced. */
  markResidue(): void {
    this.#residue = true;
  }

  /** Flushes the file and stages its new state in the manifest. */
  async flush(): Promise<void> {
    if (!this.#exists) return;
    await this.#frames.flush();
    if (!this.#unrecorded) return;
    const files = this.#stamps();
    // A failed write left bytes after the end.
    if (files[0]?.size !== BigInt(this.size)) return;
    this.#manifest.stage({
      partition: this.#name,
      position: this.#position,
      files,
      figures: { dimensions: this.#dimensions, residue: this.#residue ? 1 : 0 },
    });
    this.#unrecorded = false;
  }

  async remove(): Promise<void> {
    await this.#disclaim();
    await this.#frames.remove();
    this.forget();
  }

  /** Takes the file of the same partition of another index. It must have been read. */
  async replaceBy(other: PartitionFile): Promise<void> {
    await other.flush();
    await other.#disclaim();
    await this.#disclaim();
    await this.#frames.replaceBy(other.#frames);
    this.#took(other);
  }

  /** Takes a copy of the file of the same partition of another index. It must have been read. */
  async copyOf(other: PartitionFile): Promise<void> {
    await this.#frames.copyOf(other.#frames);
    this.#took(other);
  }

  #took(other: PartitionFile): void {
    this.forget();
    this.#exists = true;
    this.#unrecorded = true;
    this.#position = other.#position;
    this.#dimensions = other.#dimensions;
    this.#residue = other.#residue;
  }

  /** Resets the state as if the file did not exist. */
  forget(): void {
    this.#exists = false;
    this.#unread = undefined;
    this.#unrecorded = false;
    this.#position = START;
    this.#dimensions = 0;
    this.#residue = false;
  }

  #assume(flushed: FlushedPartition): void {
    this.#frames.assume(Number(flushed.files[0]?.size));
    this.#unread = flushed;
    this.#exists = true;
    this.#position = flushed.position;
    this.#dimensions = flushed.figures['dimensions'] ?? 0;
    // Earlier versions did not record `residue`.
    this.#residue = flushed.figures['residue'] !== 0;
  }

  /** Detects a truncated file. It looks like an incomplete append after a crash, but this much was on disk. @throws Corrupt */
  #expect({ position, files }: FlushedPartition): void {
    if (this.#position < position || shortened(files, this.#stamps(), FRAME_HEAD_BYTES) !== undefined)
      throw new Corrupt(
        `the file ends at byte ${this.size} and position ${this.#position}, but ${files[0]?.size} bytes up to position ${position} were on disk`,
      );
  }

  /** Call it before the file may hold less than the manifest records. */
  async #disclaim(): Promise<void> {
    await storage(`updating the flush manifest for ${this.#frames.path}`, () => this.#manifest.forget(this.#name));
  }

  #stamps(): FlushedPartition['files'] {
    return fileStamps(this.#folder, [VECTORS_FILE]);
  }
}
