import { readFileSync } from 'node:fs';
import { MAX_QUERY_TERMS } from './bm25.ts';

// TypeScript declares WebAssembly only as part of the DOM types.
const { Instance, Module } = (
  globalThis as unknown as Readonly<{
    WebAssembly: Readonly<{
      Module: new (bytes: Uint8Array) => object;
      Instance: new (module: object) => Readonly<{ exports: unknown }>;
    }>;
  }>
).WebAssembly;

type Exports = Readonly<{
  memory: Readonly<{ buffer: ArrayBuffer }>;
  allocate(bytes: number): number;
  release(pointer: number): void;
  termsAt(): number;
  weightsAt(): number;
  scoresAt(): number;
  chunksAt(): number;
  marksAt(): number;
  search(segment: number, terms: number, k: number, atLeast: number, excluded: number): number;
  mark(segment: number, terms: number, chunks: number): void;
}>;

/** Copied without a pause: some tenths of a millisecond. */
const COPIED_BYTES = 2 ** 20;

/** Hits of one segment, unordered: chunk `chunks[i]` has `points[i]`. */
export type SegmentHits = Readonly<{ chunks: Uint32Array; points: Int32Array }>;

/** Words of 32 bits with one bit for each of a query's terms. */
export const MARK_WORDS = MAX_QUERY_TERMS / 32;

/** A query on one segment. */
export type SegmentQuery = Readonly<{
  /** The terms that occur in this segment, by their index in `segment.terms`, and their weights; at most 128. */
  terms: readonly number[];
  weights: readonly number[];
  /** The maximum number of hits, from 1 to `MAX_INDEX_RESULTS` (the kernel has room for 1,024). */
  k: number;
  /** Chunks with fewer points are skipped. */
  atLeast: number;
  /** One bit per chunk; a set bit excludes it. */
  excluded: Uint8Array | undefined;
}>;

/**
 * The compiled `kernels/search.ts` with its memory. All large segments of this process share it. The memory only grows, up to 4 GB;
 * freed memory is reused.
 */
export class Kernel {
  readonly #wasm: Exports;
  #excludedAt = 0;
  #excludedCapacity = 0;

  /** @throws Error when the kernel was not built */
  static load(): Kernel {
    // This path is the same from `src` and from `dist`.
    const file = new URL('../../dist/kernels/search.wasm', import.meta.url);
    let bytes: Uint8Array;
    try {
      bytes = readFileSync(file);
    } catch (cause) {
      throw new Error(`no BM25 kernel at ${file.pathname}: run "npm run build" in libs/adapters/bm25`, { cause });
    }
    return new Kernel(new Instance(new Module(bytes)).exports as Exports);
  }

  private constructor(wasm: Exports) {
    this.#wasm = wasm;
  }

  /** The size of the memory, used or free. */
  get memoryBytes(): number {
    return this.#wasm.memory.buffer.byteLength;
  }

  /** Copies an array to the kernel memory, in small steps, and returns its address, for `free`. */
  *placeSteps(array: Uint8Array | Uint32Array | Int32Array): Generator<void, number> {
    const at = this.#allocate(array.byteLength);
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let from = 0; from < bytes.length; from += COPIED_BYTES) {
      // A new view for each step, because the memory may have grown.
      const part = bytes.subarray(from, from + COPIED_BYTES);
      new Uint8Array(this.#wasm.memory.buffer, at + from, part.length).set(part);
      yield;
    }
    return at;
  }

  free(at: number): void {
    this.#wasm.release(at);
  }

  /** Returns the best chunks of a segment in the kernel memory; for equal points, the lower chunk number wins. */
  search(segment: number, { terms, weights, k, atLeast, excluded }: SegmentQuery): SegmentHits {
    const excludedAt = excluded === undefined ? 0 : this.#placeExcluded(excluded);
    const { memory } = this.#wasm;
    new Int32Array(memory.buffer, this.#wasm.termsAt(), MAX_QUERY_TERMS).set(terms);
    new Int32Array(memory.buffer, this.#wasm.weightsAt(), MAX_QUERY_TERMS).set(weights);
    const found = this.#wasm.search(segment, terms.length, k, atLeast, excludedAt);
    // The kernel may have grown the memory, which detaches all earlier views. Read through new ones.
    return {
      chunks: new Uint32Array(memory.buffer, this.#wasm.chunksAt(), found).slice(),
      points: new Int32Array(memory.buffer, this.#wasm.scoresAt(), found).slice(),
    };
  }

  /** Returns the terms that chunks of a segment in the kernel memory contain, as `LiveSegment.mark` describes it. */
  mark(segment: number, terms: readonly number[], chunks: Uint32Array): Uint32Array {
    const { memory } = this.#wasm;
    new Int32Array(memory.buffer, this.#wasm.termsAt(), MAX_QUERY_TERMS).set(terms);
    new Uint32Array(memory.buffer, this.#wasm.chunksAt(), chunks.length).set(chunks);
    this.#wasm.mark(segment, terms.length, chunks.length);
    return new Uint32Array(memory.buffer, this.#wasm.marksAt(), chunks.length * MARK_WORDS).slice();
  }

  #placeExcluded(bits: Uint8Array): number {
    if (bits.length > this.#excludedCapacity) {
      if (this.#excludedAt !== 0) this.free(this.#excludedAt);
      this.#excludedCapacity = bits.length * 2;
      this.#excludedAt = this.#allocate(this.#excludedCapacity);
    }
    new Uint8Array(this.#wasm.memory.buffer, this.#excludedAt, bits.length).set(bits);
    return this.#excludedAt;
  }

  #allocate(bytes: number): number {
    // WebAssembly returns addresses above 2 GB as negative numbers.
    return this.#wasm.allocate(Math.max(16, bytes)) >>> 0;
  }
}

let shared: Kernel | undefined;

/** The shared kernel of this process, loaded on first use. */
export const sharedKernel = (): Kernel => (shared ??= Kernel.load());
