import { readFileSync } from 'node:fs';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { QueryCode } from './query-code.ts';
import { wasm, type WasmMemory } from './wasm.ts';

// Addresses of the scratch area, as in ../kernels/scratch.ts.
export const HEAP = 1024;
const ENTRY_BYTES = 24;
/** The entry after the last one of the heap: `measure` reads the id of the chunk from it. */
export const MEASURED_ID = HEAP + 1000 * ENTRY_BYTES + 8;
const QUERY = 32768;
const QUERY_CODE = 49152;
export const MASK = 53248;
export const CANDIDATES = 69632;
const ROW = 69632;
export const BLOCKS = 86016;
const PAGE = 65536;

/** ../kernels/scan.ts describes these functions. */
export type KernelFunctions = Readonly<{
  configure(width: number): number;
  encode(row: number): void;
  setGrouped(grouped: number): void;
  setQuery(scale: number, errorPerResidual: number, constantError: number, codeOffset: number): void;
  scan(from: number, words: number, firstRow: number, k: number, floor: number): number;
  candidateCount(): number;
  resume(k: number, alreadyHeld: number): void;
  measure(row: number): number;
  heldEntries(): number;
  sumScores(words: number): number;
  sumOfScores(): number;
  sumOfSquares(): number;
}>;

let compiled: object | undefined;

/** The path is the same from src/ and from dist/; `npm run build` creates the file. */
const kernelModule = (): object => (compiled ??= new wasm.Module(readFileSync(new URL('../dist/kernels.wasm', import.meta.url))));

/** An instance of the kernels with its memory. */
export class Kernels {
  readonly run: KernelFunctions;
  readonly #memory: WasmMemory;
  /** Views of the whole memory. They are recreated when the memory grows, because that detaches the old views. */
  bytes: Uint8Array;
  words: Uint32Array;

  constructor() {
    this.#memory = new wasm.Memory({ initial: Math.ceil(BLOCKS / PAGE) });
    this.bytes = new Uint8Array(this.#memory.buffer);
    this.words = new Uint32Array(this.#memory.buffer);
    const env = { memory: this.#memory, abort: () => undefined };
    this.run = new wasm.Instance(kernelModule(), { env }).exports as KernelFunctions;
  }

  /** Makes the memory at least `size` bytes long, and reserves `extra` bytes more if it has to grow. @throws Unavailable */
  reserve(size: number, extra = 0): void {
    if (size <= this.bytes.length) return;
    const pages = Math.ceil((size + extra - this.bytes.length) / PAGE);
    try {
      this.#memory.grow(pages);
    } catch (error) {
      throw new Unavailable(`cannot allocate ${this.bytes.length + pages * PAGE} bytes of memory for vectors`, { cause: error });
    }
    this.bytes = new Uint8Array(this.#memory.buffer);
    this.words = new Uint32Array(this.#memory.buffer);
  }

  placeQuery({ values, codes, scale, errorPerResidual, constantError, offset }: QueryCode): void {
    this.bytes.set(new Uint8Array(values.buffer), QUERY);
    this.bytes.set(new Uint8Array(codes.buffer), QUERY_CODE);
    this.run.setQuery(scale, errorPerResidual, constantError, offset);
  }

  /** `vector`: the bytes of its little-endian float32 values, padded with zeros to `width` values. */
  placeRow(vector: Uint8Array, width: number): void {
    this.bytes.set(vector, ROW);
    if (vector.length < 4 * width) this.bytes.fill(0, ROW + vector.length, ROW + 4 * width);
  }
}
