// The k best rows so far: a heap at HEAP with the worst at its root. An entry has 24 bytes: score f32, row u32, id 4 x u32.
import { HEAP } from './scratch';

export const ENTRY: usize = 24;

let wanted: i32 = 0;
let held: i32 = 0;

/** Takes up a heap of at most `k` entries, of which `alreadyHeld` lie at HEAP. */
export function resume(k: i32, alreadyHeld: i32): void {
  wanted = k;
  held = alreadyHeld;
}

export function heldEntries(): i32 {
  return held;
}

/** The score that a row has to reach: the worst of a full heap. */
export function bar(): f64 {
  return held == wanted ? <f64>load<f32>(HEAP) : -Infinity;
}

/** Whether entry `a` is worse than entry `b`: a lower score, or the same and a higher id. */
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

/** `entry` lies outside of the heap; it takes its place among the k best, or is dropped. */
export function offer(entry: usize): void {
  let i: i32;
  if (held < wanted) {
    i = held++;
    while (i > 0) {
      const parent = HEAP + <usize>((i - 1) >> 1) * ENTRY;
      if (!worse(entry, parent)) break;
      copyEntry(HEAP + <usize>i * ENTRY, parent);
      i = (i - 1) >> 1;
    }
  } else {
    if (!worse(HEAP, entry)) return;
    i = 0;
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
  }
  copyEntry(HEAP + <usize>i * ENTRY, entry);
}
