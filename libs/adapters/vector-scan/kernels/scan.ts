// AssemblyScript, compiled by ../build-kernels.mjs to ../dist/kernels.wasm. TypeScript tools do not read this file.
//
// One instance serves one slab: blocks of 64 rows after a small scratch area. A block contains, in this order,
//   float32 rows (64 x width x 4 B) | 7-bit codes (64 x width B) | scales (64 x 4) | residuals (64 x 4) | ids (64 x 16)
// `width` is the number of dimensions, rounded up to a multiple of 32; the padding is zero.
//
// Deterministic on every CPU: plain SIMD for float32, and the relaxed integer dot product only with a second operand of 0-127,
// where the specification allows only one result (no 16-bit sum can overflow: 2 x 127 x 128 < 32768).

import { bar, ENTRY, heldEntries, offer, resume } from './best';

export { setGrouped } from './best';
import { BLOCKS, HEAP, MASK, QUERY, QUERY_CODE } from './scratch';

let rowBytes: usize = 0;
let codeBytes: usize = 0;
let codesAt: usize = 0;
let scalesAt: usize = 0;
let residualsAt: usize = 0;
let idsAt: usize = 0;
let blockBytes: usize = 0;

/** Sets the layout and returns the number of bytes of one block. */
export function configure(width: u32): u32 {
  codeBytes = width;
  rowBytes = codeBytes << 2;
  codesAt = rowBytes << 6;
  scalesAt = codesAt + (codeBytes << 6);
  residualsAt = scalesAt + 256;
  idsAt = residualsAt + 256;
  blockBytes = idsAt + 1024;
  return <u32>blockBytes;
}

function blockOf(row: u32): usize {
  return BLOCKS + <usize>(row >> 6) * blockBytes;
}

/**
 * Encodes a row whose float32 values are already stored: code = round(x / scale) + 64 with scale = max|x| / 63, and
 * residual >= |x - scale * (code - 64)| (Euclidean). The rounding error of the residual is added to it: at most 1e-4 relative in its sum
 * of 4096 squares, and 1e-6 absolute in its terms.
 */
export function encode(row: u32): void {
  const block = blockOf(row);
  const lane = <usize>(row & 63);
  const source = block + lane * rowBytes;
  const target = block + codesAt + lane * codeBytes;
  let most = f32x4.splat(0);
  for (let j: usize = 0; j < rowBytes; j += 16) most = f32x4.max(most, f32x4.abs(v128.load(source + j)));
  const largest = max(
    max(f32x4.extract_lane(most, 0), f32x4.extract_lane(most, 1)),
    max(f32x4.extract_lane(most, 2), f32x4.extract_lane(most, 3)),
  );
  const scale: f32 = largest / 63;
  scales = f32x4.splat(scale);
  inverses = f32x4.splat(scale > 0 ? 1 / scale : 0);
  squares = f32x4.splat(0);
  for (let j: usize = 0; j < codeBytes; j += 16) {
    const x = source + (j << 2);
    const low = i16x8.narrow_i32x4_s(codeFour(x), codeFour(x + 16));
    const high = i16x8.narrow_i32x4_s(codeFour(x + 32), codeFour(x + 48));
    v128.store(target + j, i8x16.add(i8x16.narrow_i16x8_s(low, high), i8x16.splat(64)));
  }
  const sum = f32x4.extract_lane(squares, 0) + f32x4.extract_lane(squares, 1) + f32x4.extract_lane(squares, 2) + f32x4.extract_lane(squares, 3);
  store<f32>(block + scalesAt + (lane << 2), scale);
  store<f32>(block + residualsAt + (lane << 2), sqrt<f32>(sum) * 1.0002 + 0.000001);
}

let scales: v128 = f32x4.splat(0);
let inverses: v128 = f32x4.splat(0);
let squares: v128 = f32x4.splat(0);

/** Returns the codes (-63 to 63) of four values, and adds the squares of their residuals to `squares`. */
function codeFour(at: usize): v128 {
  const x = v128.load(at);
  const code = f32x4.max(f32x4.splat(-63), f32x4.min(f32x4.splat(63), f32x4.nearest(f32x4.mul(x, inverses))));
  const rest = f32x4.sub(x, f32x4.mul(code, scales));
  squares = f32x4.add(squares, f32x4.mul(rest, rest));
  return i32x4.trunc_sat_f32x4_s(code);
}

// ---- the query; ../src/query-code.ts derives these numbers
let codeScale: f64 = 0;
let perResidual: f64 = 0;
let slack: f64 = 0;
let offset: i32 = 0;

export function setQuery(scale: f64, errorPerResidual: f64, constantError: f64, codeOffset: i32): void {
  codeScale = scale;
  perResidual = errorPerResidual;
  slack = constantError;
  offset = codeOffset;
}

/** Returns the score: four times four running sums, added in a fixed order. All scores are computed here. */
function dotFloat(row: usize): f32 {
  let a = f32x4.splat(0), b = a, c = a, d = a;
  for (let j: usize = 0; j < rowBytes; j += 64) {
    const x = row + j, q = QUERY + j;
    a = f32x4.add(a, f32x4.mul(v128.load(x), v128.load(q)));
    b = f32x4.add(b, f32x4.mul(v128.load(x, 16), v128.load(q, 16)));
    c = f32x4.add(c, f32x4.mul(v128.load(x, 32), v128.load(q, 32)));
    d = f32x4.add(d, f32x4.mul(v128.load(x, 48), v128.load(q, 48)));
  }
  const s = f32x4.add(f32x4.add(a, b), f32x4.add(c, d));
  return f32x4.extract_lane(s, 0) + f32x4.extract_lane(s, 1) + (f32x4.extract_lane(s, 2) + f32x4.extract_lane(s, 3));
}

/** Returns the integer dot product of the codes of a row and of the query. */
function dotCode(row: usize): i32 {
  let a = i32x4.splat(0), b = a;
  for (let j: usize = 0; j < codeBytes; j += 32) {
    a = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(QUERY_CODE + j), v128.load(row + j), a);
    b = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(QUERY_CODE + j, 16), v128.load(row + j, 16), b);
  }
  const s = i32x4.add(a, b);
  return i32x4.extract_lane(s, 0) + i32x4.extract_lane(s, 1) + (i32x4.extract_lane(s, 2) + i32x4.extract_lane(s, 3));
}

// ---- the scan
let measured: u32 = 0;

/** Returns how many rows the last scan compared in float32. */
export function measuredRows(): u32 {
  return measured;
}

/**
 * Offers every row of the mask to the heap of at most `k` entries, of which `alreadyHeld` are at HEAP. Returns the number of entries
 * after the scan. Rows are entered as `firstRow` + their number in this slab. With `coarse`, a row is compared in float32 only if the
 * highest score that its codes allow reaches the worst score of a full heap: a skipped row cannot be among the k best.
 */
export function scan(words: u32, firstRow: u32, coarse: bool, k: i32, alreadyHeld: i32): i32 {
  const entry: usize = HEAP + 1000 * ENTRY;
  resume(k, alreadyHeld);
  measured = 0;
  let least = bar();
  let block = BLOCKS;
  for (let w: u32 = 0; w < words; w++, block += blockBytes) {
    let bits = load<u64>(MASK + (<usize>w << 3));
    while (bits) {
      const lane = <usize>ctz(bits);
      bits &= bits - 1;
      if (coarse) {
        const estimate = <f64>(dotCode(block + codesAt + lane * codeBytes) - offset);
        const scale = <f64>load<f32>(block + scalesAt + (lane << 2)) * codeScale;
        const residual = <f64>load<f32>(block + residualsAt + (lane << 2));
        if (estimate * scale + residual * perResidual + slack < least) continue;
      }
      const score = dotFloat(block + lane * rowBytes);
      measured++;
      if (<f64>score < least) continue;
      store<f32>(entry, score);
      store<u32>(entry, firstRow + (w << 6) + <u32>lane, 4);
      v128.store(entry, v128.load(block + idsAt + (lane << 4)), 8);
      offer(entry);
      least = bar();
    }
  }
  return heldEntries();
}

// ---- sums of scores
let scoreSum: f64 = 0;
let scoreSquares: f64 = 0;

export function sumOfScores(): f64 {
  return scoreSum;
}

export function sumOfSquares(): f64 {
  return scoreSquares;
}

/**
 * Adds up the scores of the rows of the mask, estimated from their codes, and their squares, in units of 2^-19. These are whole numbers,
 * whose sums are exact in any order for up to 16,384 rows. Returns the number of rows.
 */
export function sumScores(words: u32): u32 {
  let rows: u32 = 0;
  scoreSum = 0;
  scoreSquares = 0;
  for (let w: u32 = 0, block = BLOCKS; w < words; w++, block += blockBytes) {
    let bits = load<u64>(MASK + (<usize>w << 3));
    while (bits) {
      const lane = <usize>ctz(bits);
      bits &= bits - 1;
      const estimate = <f64>(dotCode(block + codesAt + lane * codeBytes) - offset);
      const scale = <f64>load<f32>(block + scalesAt + (lane << 2)) * codeScale;
      const steps = nearest<f64>(estimate * scale * 524288);
      scoreSum += steps;
      scoreSquares += steps * steps;
      rows++;
    }
  }
  return rows;
}
