import { existsSync } from 'node:fs';
import { fileSeal, partitionFolder, type FlushManifest, type FlushedPartition } from '@palimpsest/contracts';
import { fileStamps, sameStamps, shortened } from '@palimpsest/foundation';
import { Corrupt } from '@palimpsest/knowledge/errors';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import { START, type Position } from '@palimpsest/knowledge/values';
import { FrameFile, VECTORS_FILE, vectorsFile } from './frame-file.ts';
import { FRAME_HEAD_BYTES, type Frame, type Version } from './frames.ts';
import type { PartReader } from './originals.ts';
import type { RowBatch } from './row-batch.ts';
import { decodeRows, encodeRows, peekRows } from './row-codec.ts';
import { storage } from './storage.ts';

/** With the version of the format. */
const kind = (version: Version): string => `vectors ${version}`;

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
    this.#frames = new FrameFile(vectorsFile(this.#folder), root, (id, version) => fileSeal(keys, name, kind(version), id));
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
  async readThrough(visit: (frame: Frame) => void = () => {}): Promise<void> {
    let [position, dimensions, removed] = [START, 0, 0];
    await this.#frames.recover((frame) => {
      const { removals, ...found } = peekRows(frame.parts[0] ?? new Uint8Array(0));
      ({ upTo: position, dimensions } = found);
      removed += removals;
      // Frames of an earlier version have other places once the file is rewritten.
      if (!this.#frames.isOld) visit(frame);
    });
    if (this.#unread && (position !== this.#position || dimensions !== this.#dimensions))
      throw new Corrupt(`the file ends at position ${position}, but position ${this.#position} was flushed`);
    this.#position = position;
    this.#dimensions = dimensions;
    if (this.#unread) this.#expect(this.#unread);
    else this.#residue ||= removed > 0;
    this.#unread = undefined;
    if (!this.#frames.isOld) return;
    await this.#rewrite(this.batches());
    for await (const frame of this.#frames.frames()) visit(frame);
  }

  /** Visits every frame so far. @throws Corrupt */
  async visit(visit: (frame: Frame) => void): Promise<void> {
    if (this.#unread) await this.readThrough(visit);
    else for await (const frame of this.#frames.frames()) visit(frame);
  }

  /** Yields the rows of every frame so far. Only for a file that was read. @throws Corrupt */
  async *batches(): AsyncGenerator<RowBatch> {
    for await (const { parts } of this.#frames.frames()) yield decodeRows(parts);
  }

  /** Of the content; undefined until the file was read. */
  get id(): string | undefined {
    return this.#frames.id;
  }

  /** As of `FrameFile.reader`. @throws Replaced; Corrupt; Unavailable */
  reader(id: string): Promise<PartReader> {
    return this.#frames.reader(id);
  }

  /** A file that was not read at opening must be read before the first append. @returns the place of the first vectors */
  async append(parts: readonly Uint8Array[], { upTo, dimensions, removeKeys }: RowBatch): Promise<number> {
    this.#unrecorded = true;
    this.#residue ||= removeKeys.length > 0;
    if (!this.#exists) {
      await this.#disclaim();
      await this.#frames.create();
    }
    this.#exists = true;
    const at = await this.#frames.append(parts);
    this.#position = upTo;
    this.#dimensions = dimensions;
    return at;
  }

  /** Replaces the whole content atomically and durably. */
  async rewrite(batches: AsyncIterable<RowBatch>): Promise<void> {
    await this.#rewrite(batches);
    this.#residue = false;
  }

  async #rewrite(batches: AsyncIterable<RowBatch>): Promise<void> {
    this.#unrecorded = true;
    await this.#disclaim();
    await this.#frames.rewrite(encoded(batches));
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

async function* encoded(batches: AsyncIterable<RowBatch>): AsyncGenerator<readonly Uint8Array[]> {
  for await (const batch of batches) yield encodeRows(batch);
}
