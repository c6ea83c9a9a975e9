/** A message that was handled, or that need not be handled. */
export const SETTLED = Symbol('settled');

/** A message that was tried. `lost`: attempts whose process died; `notBefore`: the earliest time of the next attempt, ms since 1970. */
export type Progress = { failures: number; lost: number; notBefore: number; trying: boolean };

/** The known state of one offset; undefined: it was never tried. */
export type OffsetState = typeof SETTLED | Progress | undefined;

/** Kafka accepts 4,096 bytes with a commit (`offset.metadata.max.bytes`); 3 bytes become 4 characters. */
const MAX_BYTES = 3_000;
const VERSION = 'p1:';
const UNTRIED = 0;
const DONE = 1;
const WAITING = 2;
const TRYING = 3;

/**
 * Writes the known states of the offsets from the committed one on, as runs of equal states: a number for length and kind, and
 * for tried messages failures, losses and the delay. The end is left out if it does not fit: after a crash, those messages
 * are delivered again, in order.
 */
export const encodeStates = (states: Iterable<OffsetState>, now: number): string => {
  const bytes: number[] = [];
  putNumber(bytes, now);
  let run: { state: OffsetState; length: number } | undefined;
  for (const state of states) {
    if (run !== undefined && same(run.state, state)) run.length += 1;
    else {
      if (run !== undefined && !putRun(bytes, run.state, run.length, now)) return packed(bytes);
      run = { state, length: 1 };
    }
  }
  if (run?.state !== undefined) putRun(bytes, run.state, run.length, now);
  return packed(bytes);
};

/** Decodes the states. Attempts in progress count as lost. Metadata of other programs reads as no known states. */
export const decodeStates = (metadata: string): readonly OffsetState[] => {
  if (!metadata.startsWith(VERSION)) return [];
  const bytes = Buffer.from(metadata.slice(VERSION.length), 'base64');
  const states: OffsetState[] = [];
  const reader = { bytes, at: 0 };
  const then = takeNumber(reader);
  while (reader.at < bytes.length) {
    const head = takeNumber(reader);
    const kind = head % 4;
    const length = Math.floor(head / 4) + 1;
    const tried =
      kind >= WAITING
        ? { failures: takeNumber(reader), lost: takeNumber(reader), wait: kind === WAITING ? takeNumber(reader) : 0 }
        : undefined;
    for (let i = 0; i < length; i += 1)
      states.push(tried === undefined ? (kind === DONE ? SETTLED : undefined) : progressOf(kind, tried, then));
  }
  return states;
};

const progressOf = (kind: number, { failures, lost, wait }: { failures: number; lost: number; wait: number }, then: number): Progress => ({
  failures,
  lost: kind === TRYING ? lost + 1 : lost,
  notBefore: wait === 0 ? 0 : then + wait,
  trying: false,
});

const same = (one: OffsetState, other: OffsetState): boolean => {
  if (typeof one !== 'object' || typeof other !== 'object') return one === other;
  return one.failures === other.failures && one.lost === other.lost && one.trying === other.trying && one.notBefore === other.notBefore;
};

const kindOf = (state: OffsetState): number => {
  if (state === undefined) return UNTRIED;
  if (state === SETTLED) return DONE;
  return state.trying ? TRYING : WAITING;
};

/** Returns whether there was room. */
const putRun = (bytes: number[], state: OffsetState, length: number, now: number): boolean => {
  const before = bytes.length;
  const kind = kindOf(state);
  putNumber(bytes, (length - 1) * 4 + kind);
  if (typeof state === 'object') {
    putNumber(bytes, state.failures);
    putNumber(bytes, state.lost);
    if (kind === WAITING) putNumber(bytes, Math.max(0, state.notBefore - now));
  }
  if (bytes.length <= MAX_BYTES) return true;
  bytes.length = before;
  return false;
};

const packed = (bytes: readonly number[]): string => VERSION + Buffer.from(bytes).toString('base64');

/** Seven bits a byte, lowest first; the eighth says that more follow. */
const putNumber = (bytes: number[], value: number): void => {
  let rest = Math.floor(value);
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
};

const takeNumber = (reader: { bytes: Buffer; at: number }): number => {
  let value = 0;
  for (let scale = 1; reader.at < reader.bytes.length; scale *= 128) {
    const byte = reader.bytes[reader.at] ?? 0;
    reader.at += 1;
    value += (byte % 128) * scale;
    if (byte < 128) break;
  }
  return value;
};
