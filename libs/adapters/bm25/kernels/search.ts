/**
 * AssemblyScript, not TypeScript: windowed MaxScore over one segment, with SIMD. `build-kernels.mjs` compiles it.
 *
 * The chunks of a segment are divided into windows whose size is a power of two. The highest impact per query term and window is known,
 * so each window has an upper bound. Windows are processed from the highest bound down, until no bound reaches the threshold (the k-th
 * best score so far). Inside a window, terms that cannot reach the threshold on their own are only looked up for chunks that the
 * other terms found. Scores are integers (sums of weight × impact), so they do not depend on the order of summation.
 */

const MAX_TERMS: i32 = 128;
const MAX_K: i32 = 1024;
/** Words of 32 bits with one bit per term. */
const MARK_WORDS: i32 = MAX_TERMS >> 5;
/** The maximum number of chunks per window; also the length of the accumulator. */
const MAX_WINDOW: i32 = 4096;
/** When a window has fewer than one posting per this many chunks, candidates are found by scanning the postings again. */
const SPARSE: i32 = 8;

/** One segment, as `segment-in-kernel.ts` writes it: sixteen words of 32 bits. "Per term" means indexed by term. */
@unmanaged
class Segment {
  windows: i32;
  windowShift: i32;
  /** Per term: where its postings start; plus one entry for the end. */
  offsets: usize;
  /** Per posting: the chunk, ascending within a term. */
  chunks: usize;
  /** Per posting: 1-255. */
  impacts: usize;
  /** Per term: row in the directory, or -1 for rare terms, whose windows are found by scanning their postings. */
  directoryRow: usize;
  /** Rows of `windows` + 1 posting numbers, and rows of `windows` highest impacts. */
  directoryStart: usize;
  directoryMax: usize;
  /** Per term: row in the dense table, or -1. A dense row holds one impact per chunk, 0 where the term is missing. */
  denseRow: usize;
  dense: usize;
  denseStride: i32;
}

// Arguments and results.
const queryTerms: usize = memory.data(MAX_TERMS * 4);
const queryWeights: usize = memory.data(MAX_TERMS * 4);
const hitScores: usize = memory.data(MAX_K * 4);
const hitChunks: usize = memory.data(MAX_K * 4);

const hitMarks: usize = memory.data(MAX_K * MARK_WORDS * 4);

export function marksAt(): usize { return hitMarks; }
export function termsAt(): usize { return queryTerms; }
export function weightsAt(): usize { return queryWeights; }
export function scoresAt(): usize { return hitScores; }
export function chunksAt(): usize { return hitChunks; }
export function allocate(bytes: usize): usize { return heap.alloc(bytes); }
export function release(pointer: usize): void { heap.free(pointer); }

// Per query term: the addresses of its window starts and window maxima, and its dense row (0 = none).
const termStart: usize = memory.data(MAX_TERMS * 4);
const termMax: usize = memory.data(MAX_TERMS * 4);
const termDense: usize = memory.data(MAX_TERMS * 4);
// Per query term that occurs in the current window, by ascending upper bound.
const slotTerm: usize = memory.data(MAX_TERMS * 4);
const slotBound: usize = memory.data(MAX_TERMS * 4);
const slotFrom: usize = memory.data(MAX_TERMS * 4);
const slotTo: usize = memory.data(MAX_TERMS * 4);
/** Sum of the bounds of the slots before this one. */
const boundBefore: usize = memory.data((MAX_TERMS + 1) * 4);

const accumulator: usize = heap.alloc(MAX_WINDOW * 4);
const candidateChunk: usize = heap.alloc(MAX_WINDOW * 4);
const candidateScore: usize = heap.alloc(MAX_WINDOW * 4);
memory.fill(accumulator, 0, MAX_WINDOW * 4);

// Scratch that grows with the number of windows.
let roomForWindows: i32 = 0;
let windowBound: usize = 0;
let scratchStart: usize = 0;
let scratchMax: usize = 0;

let hits: i32 = 0;
let wanted: i32 = 0;
/** A score below this can no longer be among the hits. */
let threshold: i32 = 0;

@inline function get(base: usize, i: i32): i32 { return load<i32>(base + (<usize>i << 2)); }
@inline function set(base: usize, i: i32, value: i32): void { store<i32>(base + (<usize>i << 2), value); }
@inline function byteAt(base: usize, i: i32): i32 { return <i32>load<u8>(base + <usize>i); }

/**
 * Writes the best `k` chunks with at least `atLeast` points to `hitScores` and `hitChunks`, unordered, and returns their number. For equal
 * points, the lower chunk number wins. `excluded`: address of one bit per chunk, where a set bit excludes it, or 0.
 */
export function search(segment: Segment, terms: i32, k: i32, atLeast: i32, excluded: usize): i32 {
  hits = 0;
  wanted = k;
  threshold = max(1, atLeast);
  reserveWindows(segment.windows);
  for (let term = 0; term < terms; term++) openTerm(segment, term);
  for (;;) {
    let best = -1, bound = 0;
    for (let w = 0; w < segment.windows; w++) {
      const b = get(windowBound, w);
      if (b > bound) { bound = b; best = w; }
    }
    if (best < 0 || bound < threshold) break;
    set(windowBound, best, 0);
    searchWindow(segment, best, terms, excluded);
  }
  return hits;
}

/**
 * Says which terms the chunks at `hitChunks` contain, which must be in ascending order: writes `MARK_WORDS` words per chunk to `hitMarks`,
 * in which bit t is set for term t of `queryTerms`.
 */
export function mark(segment: Segment, terms: i32, chunks: i32): void {
  memory.fill(hitMarks, 0, <usize>chunks * MARK_WORDS << 2);
  for (let term = 0; term < terms; term++) {
    const id = get(queryTerms, term), dense = get(segment.denseRow, id), row = get(segment.directoryRow, id);
    const end = get(segment.offsets, id + 1);
    let posting = get(segment.offsets, id);
    for (let c = 0; c < chunks; c++) {
      const chunk = get(hitChunks, c);
      let holds: bool;
      if (dense >= 0) holds = byteAt(segment.dense + <usize>dense * <usize>segment.denseStride, chunk) > 0;
      else {
        if (row >= 0) posting = max(posting, get(segment.directoryStart, row * (segment.windows + 1) + (chunk >> segment.windowShift)));
        posting = seek(segment.chunks, posting, end, chunk);
        holds = posting < end && get(segment.chunks, posting) == chunk;
      }
      if (!holds) continue;
      const word = c * MARK_WORDS + (term >> 5);
      set(hitMarks, word, get(hitMarks, word) | (1 << (term & 31)));
    }
  }
}

function reserveWindows(windows: i32): void {
  if (windows > roomForWindows) {
    if (roomForWindows > 0) { heap.free(windowBound); heap.free(scratchStart); heap.free(scratchMax); }
    roomForWindows = windows * 2;
    windowBound = heap.alloc(<usize>roomForWindows << 2);
    scratchStart = heap.alloc(<usize>MAX_TERMS * (<usize>roomForWindows + 1) << 2);
    scratchMax = heap.alloc(<usize>MAX_TERMS * <usize>roomForWindows);
  }
  memory.fill(windowBound, 0, <usize>windows << 2);
}

/** Finds the postings of a query term in each window, and adds its maximum contribution to the bounds of the windows. */
function openTerm(segment: Segment, term: i32): void {
  const id = get(queryTerms, term), weight = get(queryWeights, term), windows = segment.windows;
  const dense = get(segment.denseRow, id);
  set(termDense, term, dense < 0 ? 0 : <i32>(segment.dense + <usize>dense * <usize>segment.denseStride));
  const row = get(segment.directoryRow, id);
  const starts = row >= 0 ? segment.directoryStart + (<usize>row * <usize>(windows + 1) << 2) : scratchStart + (<usize>term * <usize>(windows + 1) << 2);
  const maxima = row >= 0 ? segment.directoryMax + <usize>row * <usize>windows : scratchMax + <usize>term * <usize>windows;
  if (row < 0) walkWindows(segment, id, starts, maxima);
  set(termStart, term, <i32>starts);
  set(termMax, term, <i32>maxima);
  for (let w = 0; w < windows; w++) set(windowBound, w, get(windowBound, w) + weight * byteAt(maxima, w));
}

function walkWindows(segment: Segment, id: i32, starts: usize, maxima: usize): void {
  const end = get(segment.offsets, id + 1), windows = segment.windows;
  let posting = get(segment.offsets, id), window = 0;
  memory.fill(maxima, 0, windows);
  set(starts, 0, posting);
  for (; posting < end; posting++) {
    const at = get(segment.chunks, posting) >> segment.windowShift;
    while (window < at) set(starts, ++window, posting);
    const impact = load<u8>(segment.impacts + <usize>posting);
    if (impact > load<u8>(maxima + <usize>at)) store<u8>(maxima + <usize>at, impact);
  }
  while (window < windows) set(starts, ++window, end);
}

function searchWindow(segment: Segment, window: i32, terms: i32, excluded: usize): void {
  const first = window << segment.windowShift, size = 1 << segment.windowShift;
  const slots = fillSlots(window, terms);
  // Slots below `essential` cannot lift a chunk to the threshold, even together.
  let essential = 0;
  while (essential < slots && get(boundBefore, essential + 1) < threshold) essential++;
  let postings = 0;
  for (let i = essential; i < slots; i++) postings += get(slotTo, i) - get(slotFrom, i);
  // Adding a list is cheaper than lookups when it is shorter than the postings that are scanned anyway.
  while (essential > 0 && !get(termDense, get(slotTerm, essential - 1)) && get(slotTo, essential - 1) - get(slotFrom, essential - 1) < postings) {
    essential--;
    postings += get(slotTo, essential) - get(slotFrom, essential);
  }
  let anyDense = false;
  for (let i = essential; i < slots; i++) {
    const row = <usize>get(termDense, get(slotTerm, i));
    if (row) { anyDense = true; addDense(row + <usize>first, get(queryWeights, get(slotTerm, i)), size); }
    else addPostings(segment, i, first);
  }
  const least = max(0, threshold - get(boundBefore, essential) - 1);
  const sparse = !anyDense && postings * SPARSE < size;
  let candidates = sparse ? collectSparse(segment, essential, slots, first, least) : collectAll(first, size, least);
  // A dense row is looked up by chunk. A list is scanned along with the candidates when these are in order.
  const ordered = !sparse || essential == slots - 1;
  for (let i = essential - 1; i >= 0 && candidates > 0; i--) candidates = addLookedUp(segment, i, candidates, ordered);
  for (let c = 0; c < candidates; c++) {
    const score = get(candidateScore, c), chunk = get(candidateChunk, c);
    if (score < threshold) continue;
    if (excluded && (byteAt(excluded, chunk >> 3) >> (chunk & 7)) & 1) continue;
    offer(score, chunk);
  }
}

/** Fills the slots with the terms that occur in the window, by ascending bound. */
function fillSlots(window: i32, terms: i32): i32 {
  let slots = 0;
  for (let term = 0; term < terms; term++) {
    const bound = get(queryWeights, term) * byteAt(<usize>get(termMax, term), window);
    if (bound == 0) continue;
    let i = slots++;
    while (i > 0 && get(slotBound, i - 1) > bound) {
      set(slotBound, i, get(slotBound, i - 1));
      set(slotTerm, i, get(slotTerm, i - 1));
      i--;
    }
    set(slotBound, i, bound);
    set(slotTerm, i, term);
  }
  set(boundBefore, 0, 0);
  for (let i = 0; i < slots; i++) {
    set(boundBefore, i + 1, get(boundBefore, i) + get(slotBound, i));
    const starts = <usize>get(termStart, get(slotTerm, i));
    set(slotFrom, i, get(starts, window));
    set(slotTo, i, get(starts, window + 1));
  }
  return slots;
}

function addDense(row: usize, weight: i32, size: i32): void {
  const factor = i32x4.splat(weight);
  const end = accumulator + (<usize>size << 2);
  for (let sum = accumulator; sum < end; sum += 64, row += 16) {
    const impacts = v128.load(row);
    if (!v128.any_true(impacts)) continue;
    const low = i16x8.extend_low_i8x16_u(impacts), high = i16x8.extend_high_i8x16_u(impacts);
    v128.store(sum, i32x4.add(v128.load(sum), i32x4.mul(factor, i32x4.extend_low_i16x8_u(low))));
    v128.store(sum, i32x4.add(v128.load(sum, 16), i32x4.mul(factor, i32x4.extend_high_i16x8_u(low))), 16);
    v128.store(sum, i32x4.add(v128.load(sum, 32), i32x4.mul(factor, i32x4.extend_low_i16x8_u(high))), 32);
    v128.store(sum, i32x4.add(v128.load(sum, 48), i32x4.mul(factor, i32x4.extend_high_i16x8_u(high))), 48);
  }
}

function addPostings(segment: Segment, slot: i32, first: i32): void {
  const weight = get(queryWeights, get(slotTerm, slot)), base = accumulator - (<usize>first << 2);
  let chunk = segment.chunks + (<usize>get(slotFrom, slot) << 2), impact = segment.impacts + <usize>get(slotFrom, slot);
  const end = segment.chunks + (<usize>get(slotTo, slot) << 2);
  for (; chunk < end; chunk += 4, impact++) {
    const sum = base + (<usize>load<u32>(chunk) << 2);
    store<i32>(sum, load<i32>(sum) + weight * <i32>load<u8>(impact));
  }
}

/** Collects candidates above `least` by scanning the postings again. Clears the accumulator. */
function collectSparse(segment: Segment, essential: i32, slots: i32, first: i32, least: i32): i32 {
  const base = accumulator - (<usize>first << 2);
  let found = 0;
  for (let i = essential; i < slots; i++) {
    const end = get(slotTo, i);
    for (let posting = get(slotFrom, i); posting < end; posting++) {
      const chunk = get(segment.chunks, posting), sum = base + (<usize>chunk << 2), score = load<i32>(sum);
      store<i32>(sum, 0);
      if (score > least) { set(candidateChunk, found, chunk); set(candidateScore, found++, score); }
    }
  }
  return found;
}

/** Collects candidates above `least` by scanning the whole accumulator, eight sums at a time. Clears the accumulator. */
function collectAll(first: i32, size: i32, least: i32): i32 {
  const end = accumulator + (<usize>size << 2), zero = i32x4.splat(0), floor = i32x4.splat(least);
  let found = 0;
  for (let sum = accumulator; sum < end; sum += 32) {
    const low = v128.load(sum), high = v128.load(sum, 16);
    const lowAbove = i32x4.gt_s(low, floor), highAbove = i32x4.gt_s(high, floor);
    let above = i32x4.bitmask(lowAbove) | (i32x4.bitmask(highAbove) << 4);
    while (above) {
      const lane = <usize>ctz(above);
      above &= above - 1;
      set(candidateChunk, found, first + <i32>((sum - accumulator) >> 2) + <i32>lane);
      set(candidateScore, found++, load<i32>(sum + (lane << 2)));
    }
    v128.store(sum, zero);
    v128.store(sum, zero, 16);
  }
  return found;
}

/** Adds one term to the candidates that can still reach the threshold, and drops the others. Returns how many are left. */
function addLookedUp(segment: Segment, slot: i32, candidates: i32, ordered: bool): i32 {
  const term = get(slotTerm, slot), weight = get(queryWeights, term), row = <usize>get(termDense, term);
  const reachable = get(boundBefore, slot + 1), from = get(slotFrom, slot), to = get(slotTo, slot);
  let kept = 0, posting = from;
  for (let c = 0; c < candidates; c++) {
    let score = get(candidateScore, c);
    if (score + reachable < threshold) continue;
    const chunk = get(candidateChunk, c);
    if (row) score += weight * byteAt(row, chunk);
    else {
      posting = seek(segment.chunks, ordered ? posting : from, to, chunk);
      if (posting < to && get(segment.chunks, posting) == chunk) score += weight * byteAt(segment.impacts, posting);
    }
    set(candidateChunk, kept, chunk);
    set(candidateScore, kept++, score);
  }
  return kept;
}

/** Returns the first posting of [from, to) whose chunk is not below `chunk`: exponential search, then binary search. */
function seek(chunks: usize, from: i32, to: i32, chunk: i32): i32 {
  if (from >= to || get(chunks, from) >= chunk) return from;
  let step = 1;
  while (from + step < to && get(chunks, from + step) < chunk) step <<= 1;
  let low = from + (step >> 1) + 1, high = min(from + step, to);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (get(chunks, middle) < chunk) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether a hit ranks below another: fewer points, or equal points and the higher chunk. */
@inline function behind(score: i32, chunk: i32, thanScore: i32, thanChunk: i32): bool {
  return score < thanScore || (score == thanScore && chunk > thanChunk);
}

/** Keeps the best `wanted` hits in a heap whose root is the worst of them. */
function offer(score: i32, chunk: i32): void {
  if (hits < wanted) {
    let i = hits++;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!behind(score, chunk, get(hitScores, parent), get(hitChunks, parent))) break;
      move(parent, i);
      i = parent;
    }
    set(hitScores, i, score);
    set(hitChunks, i, chunk);
  } else {
    if (behind(score, chunk, get(hitScores, 0), get(hitChunks, 0))) return;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= hits) break;
      if (child + 1 < hits && behind(get(hitScores, child + 1), get(hitChunks, child + 1), get(hitScores, child), get(hitChunks, child))) child++;
      if (behind(score, chunk, get(hitScores, child), get(hitChunks, child))) break;
      move(child, i);
      i = child;
    }
    set(hitScores, i, score);
    set(hitChunks, i, chunk);
  }
  if (hits == wanted) threshold = max(threshold, get(hitScores, 0));
}

@inline function move(from: i32, to: i32): void {
  set(hitScores, to, get(hitScores, from));
  set(hitChunks, to, get(hitChunks, from));
}
