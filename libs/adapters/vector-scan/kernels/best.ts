// The k best rows so far, or the best row of each chunk when grouped: a heap at HEAP with the worst row at its root.
// An entry has 24 bytes: score f32, row u32, id 4 x u32.
import { HEAP } from './scratch';

export const ENTRY: usize = 24;

let grouped: bool = false;
let wanted: i32 = 0;
let held: i32 = 0;

/** Sets whether several rows may have the same id, of which only the best is kept. */
export function setGrouped(on: bool): void {
  grouped = on;
}

/** Continues with a heap of at most `k` entries, of which `alreadyHeld` are at HEAP. */
export function resume(k: i32, alreadyHeld: i32): void {
  wanted = k;
  held = alreadyHeld;
}

export function heldEntries(): i32 {
  return held;
}

/** The minimum score of a row: the worst score of a full heap. */
export function bar(): f64 {
  return held == wanted ? <f64>load<f32>(HEAP) : -Infinity;
}

/** Whether entry `a` is worse than entry `b`: a lower score, or the same score and a higher id. */
function worse(a: usize, b: usize): bool {
  const x = load<f32>(a), y = load<f32>(b);
  return x < y || (x == y && idAfter(a + 8, b + 8));
}

function idAfter(a: usize, b: usize): bool {
  for (let j: usize = 0; j < 16; j += 4) {
    const x = load<u32>(a + j), y = load<u32>(b + j);
    if (x != y) return x > y;
  }
  return false;
}

function copyEntry(to: usize, from: usize): void {
  v128.store(to, v128.load(from));
  store<u64>(to, load<u64>(from, 16), 16);
}

/** Returns the index of the heap entry with the id of `entry`, or -1. Few rows are offered, so a linear search is cheap. */
function heldAt(entry: usize): i32 {
  const id = v128.load(entry + 8);
  for (let i = 0; i < held; i++)
    if (i8x16.all_true(i8x16.eq(v128.load(HEAP + <usize>i * ENTRY + 8), id))) return i;
  return -1;
}

/** Replaces entry `i`, which is not better, with `entry`, and restores the heap order below it. */
function replace(i: i32, entry: usize): void {
  while (true) {
    let child = 2 * i + 1;
    if (child >= held) break;
    let at = HEAP + <usize>child * ENTRY;
    if (child + 1 < held && worse(at + ENTRY, at)) {
      child++;
      at += ENTRY;
    }
    if (!worse(at, entry)) break;
    copyEntry(HEAP + <usize>i * ENTRY, at);
    i = child;
  }
  copyEntry(HEAP + <usize>i * ENTRY, entry);
}

/** Adds `entry`, which is outside of the heap, to the k best, or drops it. */
export function offer(entry: usize): void {
  if (grouped) {
    const known = heldAt(entry);
    if (known >= 0) {
      if (worse(HEAP + <usize>known * ENTRY, entry)) replace(known, entry);
      return;
    }
  }
  if (held < wanted) {
    let i = held++;
    while (i > 0) {
      const parent = HEAP + <usize>((i - 1) >> 1) * ENTRY;
      if (!worse(entry, parent)) break;
      copyEntry(HEAP + <usize>i * ENTRY, parent);
      i = (i - 1) >> 1;
    }
    copyEntry(HEAP + <usize>i * ENTRY, entry);
  } else if (worse(HEAP, entry)) replace(0, entry);
}
