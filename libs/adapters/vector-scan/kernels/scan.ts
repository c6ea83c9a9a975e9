// AssemblyScript, compiled by ../build-kernels.mjs to ../dist/kernels.wasm. TypeScript tools do not read this file.
//
// One instance serves one slab: blocks of 64 rows after a small scratch area. A block contains, in this order,
//   7-bit codes (64 x width B) | scales (64 x 4) | residuals (64 x 4) | ids (64 x 16)
// `width` is the number of dimensions, rounded up to a multiple of 32; the padding is zero. The float32 values are not in here: a scan
// says which rows may be among the best, and `measure` gives each of them its score.
//
// Deterministic on every CPU: plain SIMD for float32, and the relaxed integer dot product only with a second operand of 0-127,
// where the specification allows only one result (no 16-bit sum can overflow: 2 x 127 x 128 < 32768).

import { bar, ENTRY, offer, resume } from './best';

export { heldEntries, resume, setGrouped } from './best';
import { BLOCKS, CANDIDATES, HEAP, MASK, MAX_CANDIDATES, QUERY, QUERY_CODE, ROW } from './scratch';

let rowBytes: usize = 0;
let codeBytes: usize = 0;
let scalesAt: usize = 0;
let residualsAt: usize = 0;
let idsAt: usize = 0;
let blockBytes: usize = 0;

/** Sets the layout and returns the number of bytes of one block. */
export function configure(width: u32): u32 {
  codeBytes = width;
  rowBytes = codeBytes << 2;
  scalesAt = codeBytes << 6;
  residualsAt = scalesAt + 256;
  idsAt = residualsAt + 256;
  blockBytes = idsAt + 1024;
  return <u32>blockBytes;
}

function blockOf(row: u32): usize {
  return BLOCKS + <usize>(row >> 6) * blockBytes;
}

/**
 * Encodes a row whose float32 values are at ROW: code = round(x / scale) + 64 with scale = max|x| / 63, and
 * residual >= |x - scale * (code - 64)| (Euclidean). The rounding error of the residual is added to it: at most 1e-4 relative in its sum
 * of 4096 squares, and 1e-6 absolute in its terms.
 */
export function encode(row: u32): void {
  const block = blockOf(row);
  const lane = <usize>(row & 63);
  const target = block + lane * codeBytes;
  let most = f32x4.splat(0);
  for (let j: usize = 0; j < rowBytes; j += 16) most = f32x4.max(most, f32x4.abs(v128.load(ROW + j)));
  const largest = max(
    max(f32x4.extract_lane(most, 0), f32x4.extract_lane(most, 1)),
    max(f32x4.extract_lane(most, 2), f32x4.extract_lane(most, 3)),
  );
  const scale: f32 = largest / 63;
  scales = f32x4.splat(scale);
  inverses = f32x4.splat(scale > 0 ? 1 / scale : 0);
  squares = f32x4.splat(0);
  for (let j: usize = 0; j < codeBytes; j += 16) {
    const x = ROW + (j << 2);
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

/** Returns the score of the row at ROW: four times four running sums, added in a fixed order. All scores are computed here. */
function dotFloat(): f32 {
  let a = f32x4.splat(0), b = a, c = a, d = a;
  for (let j: usize = 0; j < rowBytes; j += 64) {
    const x = ROW + j, q = QUERY + j;
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
let candidates: u32 = 0;

/** Returns how many candidates the last scan left at CANDIDATES, each with the highest score that it may have (f32) and its row (u32). */
export function candidateCount(): u32 {
  return candidates;
}

/** Covers the rounding of a bound below 2 to float32. */
const ROUNDING: f64 = 0.0000002;

/**
 * Finds the rows of the mask that may be among the k best, from word `from` on: those whose highest possible score reaches `floor` and
 * the k-th best of the lowest possible scores so far. Rows are numbered `firstRow` + their number in this slab. Returns the word at which
 * it stopped because there was no space for more candidates, or `words`.
 */
export function scan(from: u32, words: u32, firstRow: u32, k: i32, floor: f64): u32 {
  const entry: usize = HEAP + 1000 * ENTRY;
  resume(k, 0);
  candidates = 0;
  let least = max(floor, bar());
  let block = BLOCKS + <usize>from * blockBytes;
  for (let w = from; w < words; w++, block += blockBytes) {
    let bits = load<u64>(MASK + (<usize>w << 3));
    if (candidates > MAX_CANDIDATES - 64) {
      dropBelow(least);
      if (candidates > MAX_CANDIDATES / 4 * 3) return w;
    }
    while (bits) {
      const lane = <usize>ctz(bits);
      bits &= bits - 1;
      const scale = <f64>load<f32>(block + scalesAt + (lane << 2)) * codeScale;
      const estimate = <f64>(dotCode(block + lane * codeBytes) - offset) * scale;
      const error = <f64>load<f32>(block + residualsAt + (lane << 2)) * perResidual + slack;
      if (estimate + error < least) continue;
      const row = firstRow + (w << 6) + <u32>lane;
      const candidate = CANDIDATES + (<usize>candidates << 3);
      candidates++;
      store<f32>(candidate, <f32>(estimate + error + ROUNDING));
      store<u32>(candidate, row, 4);
      store<f32>(entry, <f32>(estimate - error - ROUNDING));
      store<u32>(entry, row, 4);
      v128.store(entry, v128.load(block + idsAt + (lane << 4)), 8);
      offer(entry);
      least = max(floor, bar());
    }
  }
  dropBelow(least);
  return words;
}

function dropBelow(least: f64): void {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < candidates; i++) {
    const candidate = load<u64>(CANDIDATES + (<usize>i << 3));
    if (<f64>reinterpret<f32>(<u32>candidate) < least) continue;
    store<u64>(CANDIDATES + (<usize>kept << 3), candidate);
    kept++;
  }
  candidates = kept;
}

/**
 * Offers the row whose float32 values are at ROW to the heap, with its score. The id (16 bytes) of its chunk is after the heap's last
 * possible entry, where the kernel reads it. Returns the score that a row must reach to be among the k best.
 */
export function measure(row: u32): f64 {
  const entry: usize = HEAP + 1000 * ENTRY;
  store<f32>(entry, dotFloat());
  store<u32>(entry, row, 4);
  if (<f64>load<f32>(entry) >= bar()) offer(entry);
  return bar();
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
      const estimate = <f64>(dotCode(block + lane * codeBytes) - offset);
      const scale = <f64>load<f32>(block + scalesAt + (lane << 2)) * codeScale;
      const steps = nearest<f64>(estimate * scale * 524288);
      scoreSum += steps;
      scoreSquares += steps * steps;
      rows++;
    }
  }
  return rows;
}
