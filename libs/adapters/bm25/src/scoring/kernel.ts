import { readFileSync } from 'node:fs';
import { MAX_QUERY_TERMS } from './bm25.ts';

// TypeScript declares WebAssembly only together with the whole DOM.
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
  search(segment: number, terms: number, k: number, atLeast: number, excluded: number): number;
}>;

/** Hits of one segment, in no order: chunk `chunks[i]` has `points[i]`. */
export type SegmentHits = Readonly<{ chunks: Uint32Array; points: Int32Array }>;

/** A query as one segment sees it. */
export type SegmentQuery = Readonly<{
  /** The terms that occur here, by their place in `segment.terms`, and what each weighs; at most 128. */
  terms: readonly number[];
  weights: readonly number[];
  /** How many hits at most, 1-1000. */
  k: number;
  /** Chunks of fewer points are not wanted. */
  atLeast: number;
  /** One bit per chunk that must not be found. */
  excluded: Uint8Array | undefined;
}>;

/**
 * The compiled `kernels/search.ts` with its memory, shared by every segment of this process that is large enough to lie there.
 * The memory grows, never shrinks (what is freed is used again), and ends at 4 GB.
 */
export class Kernel {
  readonly #wasm: Exports;
  #excludedAt = 0;
  #excludedRoom = 0;

  /** @throws Error when the kernel was not built */
  static load(): Kernel {
    // The same place seen from `src` and from `dist`.
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

  /** Size of the memory, used or free. */
  get memoryBytes(): number {
    return this.#wasm.memory.buffer.byteLength;
  }

  /** Copies an array in; `free` gives its place back. */
  place(array: Uint8Array | Uint32Array | Int32Array): number {
    const at = this.#allocate(array.byteLength);
    new Uint8Array(this.#wasm.memory.buffer, at, array.byteLength).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    return at;
  }

  free(at: number): void {
    this.#wasm.release(at);
  }

  /** The best chunks of a segment that was placed here, ties to the lower chunk. */
  search(segment: number, { terms, weights, k, atLeast, excluded }: SegmentQuery): SegmentHits {
    const excludedAt = excluded === undefined ? 0 : this.#placeExcluded(excluded);
    const { memory } = this.#wasm;
        new Int32Array(memory.buffer, this.#wasm.termsAt(), MAX_QUERY_TERMS).set(terms);
    new Int32Array(memory.buffer, this.#wasm.weightsAt(), MAX_QUERY_TERMS).set(weights);
    const found = this.#wasm.search(segment, terms.length, k, atLeast, excludedAt);
    // The kernel's own scratch may have grown the memory, and with it detached every earlier view: read through new ones.
    return {
      chunks: new Uint32Array(memory.buffer, this.#wasm.chunksAt(), found).slice(),
      points: new Int32Array(memory.buffer, this.#wasm.scoresAt(), found).slice(),
    };
  }

  #placeExcluded(bits: Uint8Array): number {
    if (bits.length > this.#excludedRoom) {
      if (this.#excludedAt !== 0) this.free(this.#excludedAt);
      this.#excludedRoom = bits.length * 2;
      this.#excludedAt = this.#allocate(this.#excludedRoom);
    }
    new Uint8Array(this.#wasm.memory.buffer, this.#excludedAt, bits.length).set(bits);
    return this.#excludedAt;
  }

  #allocate(bytes: number): number {
    // Addresses above 2 GB come out of WebAssembly as negative numbers.
    return this.#wasm.allocate(Math.max(16, bytes)) >>> 0;
  }
}

let shared: Kernel | undefined;

/** The one kernel of this process, loaded when it is first needed. */
export const sharedKernel = (): Kernel => (shared ??= Kernel.load());
