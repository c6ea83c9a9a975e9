import { SeededRandom } from '@palimpsest/foundation';
import { Corrupt, InvalidValue } from '@palimpsest/knowledge/errors';
import { MAX_DIMENSIONS } from '@palimpsest/knowledge/values';
import { pack, packedLength, unpack } from './bit-packing.ts';
import { bordersOf, normalLevels } from './normal-levels.ts';
import { Rotation } from './rotation.ts';

/**
 * `bits`: per dimension, 1 to 8. `residualSign`: one of them is the sign of what the others leave (then 2 to 8); without it, recall is
 * higher for the same number of bytes. `seed`: of the rotations; codes can only be read with the same settings.
 */
export type CodecSettings = Readonly<{ dimensions: number; bits: number; residualSign?: boolean; seed?: number }>;

/** `levels`: for each rotated value, the number of its level. `form`: by it, codes of other bits are refused. */
export type VectorCode = Readonly<{ form: number; scale: number; levels: Uint8Array; residual?: ResidualCode }>;

/** What the levels leave, rotated once more. `signs`: 1 for a positive value, 0 for others. */
type ResidualCode = Readonly<{ scale: number; signs: Uint8Array }>;

/** A query that is rotated like the vectors, for many codes. */
export type CodecQuery = Readonly<{ rotated: Float64Array; again: Float64Array | undefined }>;

const VERSION = 1;
const WITH_RESIDUAL = 128;
const HEAD_BYTES = 2;
const SCALE_BYTES = 4;
const DEFAULT_SEED = 1;
/** Scales are at most 1.25 times as large: all sums stay far below the limit of float32. */
const MAX_LENGTH = 2 ** 99;
const MAX_SCALE = 2 * MAX_LENGTH;

/**
 * Compresses vectors without having seen any: each is rotated at random, after which its values are distributed almost normally,
 * whatever it was, and each value becomes the nearest of the levels that are best for that distribution (A. Zandieh et al.,
 * "TurboQuant", 2025). Inner products are estimated from codes without decoding them, and without bias:
 *
 * - Without `residualSign`, a code has a scale s of its own. Let c be the levels, and s = |x|² / (c·x): then q·sc is exact for the part
 *   of q in the direction of x. The rest of q is perpendicular to x, and its product with c has the mean 0 over the rotations (J. Gao
 *   and C. Long, "RaBitQ", 2024, theorem 3.2).
 * - With it, the residual r = x - c|x|/√d is rotated once more, by S, and only its signs and its length are stored. The mean of
 *   |r|·(Sq · sign(Sr)) / (d·e) over the rotations is q·r, e being the mean of |u_1| for directions u (A. Zandieh et al., "QJL", 2024).
 *
 * The same vector and settings give the same code on every machine.
 */
export class VectorCodec {
  /** Of a serialised code. */
  readonly bytes: number;
  readonly #dimensions: number;
  readonly #levelBits: number;
  readonly #form: number;
  readonly #levels: Float64Array;
  readonly #borders: Float64Array;
  readonly #rotation: Rotation;
  /** That of the residual. */
  readonly #second: Rotation | undefined;
  readonly #meanFirstValue: number;
  readonly #work: Float64Array;

  /** @throws InvalidValue */
  constructor({ dimensions, bits, residualSign = false, seed = DEFAULT_SEED }: CodecSettings) {
    checkWhole('dimensions', dimensions, 1, MAX_DIMENSIONS);
    checkWhole('bits', bits, residualSign ? 2 : 1, 8);
    checkWhole('seed', seed, 0, 2 ** 32 - 1);
    this.#dimensions = dimensions;
    this.#levelBits = residualSign ? bits - 1 : bits;
    this.#form = bits + (residualSign ? WITH_RESIDUAL : 0);
    this.#levels = normalLevels(this.#levelBits);
    this.#borders = bordersOf(this.#levels);
    const random = new SeededRandom(seed);
    this.#rotation = new Rotation(dimensions, random);
    this.#second = residualSign ? new Rotation(dimensions, random) : undefined;
    this.#meanFirstValue = meanFirstValue(dimensions);
    this.#work = new Float64Array(dimensions);
    this.bytes = HEAD_BYTES + SCALE_BYTES + this.#levelBytes + (residualSign ? SCALE_BYTES + packedLength(dimensions, 1) : 0);
  }

  /** A vector of zeros has the scale 0, and is decoded to zeros. @throws InvalidValue unless all values are finite and its length is below 2 ** 99 */
  encode(vector: Float32Array): VectorCode {
    const rotated = this.#rotated('vector', vector);
    const length = lengthOf(rotated);
    if (length > MAX_LENGTH) throw new InvalidValue('vector', 'a length of at most 2 ** 99', length);
    const unit = length === 0 ? 0 : Math.sqrt(this.#dimensions) / length;
    const levels = new Uint8Array(this.#dimensions);
    let alike = 0;
    for (let i = 0; i < rotated.length; i++) {
      const value = (rotated[i] ?? 0) * unit;
      const level = levelOf(value, this.#borders);
      levels[i] = level;
      alike += value * (this.#levels[level] ?? 0);
    }
    const common = length / Math.sqrt(this.#dimensions);
    if (this.#second === undefined) {
      const own = alike === 0 ? 0 : (common * this.#dimensions) / alike;
      return { form: this.#form, scale: Math.fround(own), levels };
    }
    const scale = Math.fround(common);
    return { form: this.#form, scale, levels, residual: this.#residual(rotated, levels, scale, this.#second) };
  }

  /** Changes `rotated` to what is left of it, and encodes that. */
  #residual(rotated: Float64Array, levels: Uint8Array, scale: number, second: Rotation): ResidualCode {
    for (let i = 0; i < rotated.length; i++) rotated[i] = (rotated[i] ?? 0) - scale * (this.#levels[levels[i] ?? 0] ?? 0);
    const length = lengthOf(rotated);
    second.apply(rotated);
    const signs = new Uint8Array(rotated.length);
    for (let i = 0; i < signs.length; i++) signs[i] = (rotated[i] ?? 0) > 0 ? 1 : 0;
    return { scale: Math.fround(length / (this.#dimensions * this.#meanFirstValue)), signs };
  }

  /** The inner product of a vector with what is returned is the estimate of `innerProduct`, but for rounding. */
  decode(code: VectorCode): Float32Array {
    this.#check(code);
    const values = new Float64Array(this.#dimensions);
    const { scale, levels, residual } = code;
    if (residual !== undefined) {
      for (let i = 0; i < values.length; i++) values[i] = residual.signs[i] === 1 ? residual.scale : -residual.scale;
      this.#second?.undo(values);
    }
    for (let i = 0; i < values.length; i++) values[i] = (values[i] ?? 0) + scale * (this.#levels[levels[i] ?? 0] ?? 0);
    this.#rotation.undo(values);
    return new Float32Array(values);
  }

  /** @throws InvalidValue unless all values are finite */
  query(vector: Float32Array): CodecQuery {
    const rotated = this.#rotated('query', vector).slice();
    if (this.#second === undefined) return { rotated, again: undefined };
    const again = rotated.slice();
    this.#second.apply(again);
    return { rotated, again };
  }

  /** An estimate of the inner product of the query with the vector that was encoded; its mean over all seeds is that product. */
  innerProduct({ rotated, again }: CodecQuery, code: VectorCode): number {
    this.#check(code);
    const { scale, levels, residual } = code;
    let sum = 0;
    for (let i = 0; i < levels.length; i++) sum += (rotated[i] ?? 0) * (this.#levels[levels[i] ?? 0] ?? 0);
    if (residual === undefined || again === undefined) return scale * sum;
    let rest = 0;
    for (let i = 0; i < again.length; i++) rest += residual.signs[i] === 1 ? (again[i] ?? 0) : -(again[i] ?? 0);
    return scale * sum + residual.scale * rest;
  }

  /** version u8 | bits u8, with 128 added if there is a residual | scale f32 | levels | the residual's scale f32 and signs. Little-endian. */
  serialise(code: VectorCode): Uint8Array {
    this.#check(code);
    const bytes = new Uint8Array(this.bytes);
    const view = new DataView(bytes.buffer);
    bytes.set([VERSION, this.#form]);
    view.setFloat32(HEAD_BYTES, code.scale, true);
    pack(code.levels, this.#levelBits, bytes.subarray(HEAD_BYTES + SCALE_BYTES));
    if (code.residual !== undefined) {
      view.setFloat32(this.#residualAt, code.residual.scale, true);
      pack(code.residual.signs, 1, bytes.subarray(this.#residualAt + SCALE_BYTES));
    }
    return bytes;
  }

  /** @throws Corrupt when the bytes are not a code of these settings. Another seed is not noticed. */
  parse(bytes: Uint8Array): VectorCode {
    const wrong = (what: string, found: number, expected: number) =>
      new Corrupt(`the code of a vector has ${what} ${found} instead of ${expected}`);
    if (bytes.length !== this.bytes) throw wrong('the length', bytes.length, this.bytes);
    if (bytes[0] !== VERSION) throw wrong('the version', bytes[0] ?? 0, VERSION);
    if (bytes[1] !== this.#form) throw wrong('the form', bytes[1] ?? 0, this.#form);
    const from = HEAD_BYTES + SCALE_BYTES;
    const levels = unpack(bytes.subarray(from, from + this.#levelBytes), this.#dimensions, this.#levelBits);
    const code = { form: this.#form, scale: scaleAt(bytes, HEAD_BYTES), levels };
    if (this.#second === undefined) return code;
    const signs = unpack(bytes.subarray(this.#residualAt + SCALE_BYTES), this.#dimensions, 1);
    return { ...code, residual: { scale: scaleAt(bytes, this.#residualAt), signs } };
  }

  get #levelBytes(): number {
    return packedLength(this.#dimensions, this.#levelBits);
  }

  get #residualAt(): number {
    return HEAD_BYTES + SCALE_BYTES + this.#levelBytes;
  }

  /** The result is valid until the next call. */
  #rotated(field: string, vector: Float32Array): Float64Array {
    if (!(vector instanceof Float32Array)) throw new InvalidValue(field, 'a Float32Array', typeof vector);
    if (vector.length !== this.#dimensions) throw new InvalidValue(field, `${this.#dimensions} dimensions`, vector.length);
    for (let i = 0; i < vector.length; i++)
      if (!Number.isFinite(vector[i])) throw new InvalidValue(`${field}[${i}]`, 'a finite number', String(vector[i]));
    this.#work.set(vector);
    this.#rotation.apply(this.#work);
    return this.#work;
  }

  #check({ form, levels }: VectorCode): void {
    if (form !== this.#form || levels.length !== this.#dimensions)
      throw new InvalidValue(
        'code',
        `a code of form ${this.#form} with ${this.#dimensions} dimensions`,
        `form ${form}, ${levels.length} dimensions`,
      );
  }
}

const checkWhole = (field: string, value: number, min: number, max: number): void => {
  if (!Number.isInteger(value) || value < min || value > max) throw new InvalidValue(field, `a whole number from ${min} to ${max}`, value);
};

const lengthOf = (values: Float64Array): number => {
  let squares = 0;
  for (const value of values) squares += value * value;
  return Math.sqrt(squares);
};

/** The number of borders below the value, in as many comparisons as a level has bits. */
const levelOf = (value: number, borders: Float64Array): number => {
  let level = 0;
  for (let step = (borders.length + 1) / 2; step >= 1; step /= 2) if (value > (borders[level + step - 1] ?? 0)) level += step;
  return level;
};

const scaleAt = (bytes: Uint8Array, at: number): number => {
  const scale = new DataView(bytes.buffer, bytes.byteOffset).getFloat32(at, true);
  if (!(scale >= 0 && scale <= MAX_SCALE)) throw new Corrupt(`the code of a vector has the scale ${scale}, which none can have`);
  return scale;
};

/** The mean of |u_1| for random directions u: Γ(d/2) / (√π Γ((d+1)/2)), which is 1 for d = 1, 2/π for d = 2, and then a product. */
const meanFirstValue = (dimensions: number): number => {
  let mean = dimensions % 2 === 1 ? 1 : 2 / Math.PI;
  for (let d = dimensions % 2 === 1 ? 1 : 2; d < dimensions; d += 2) mean *= d / (d + 1);
  return mean;
};
