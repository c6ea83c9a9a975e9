import { position, type Position } from '@palimpsest/knowledge/values';

/**
 * Ascending positions in little space: the distances from each to the next as unsigned LEB128 (seven bits in a byte, the lowest first),
 * Base64. `after`: the position before the first one.
 * @throws RangeError if they do not ascend
 */
export const encodePositions = (after: Position, positions: readonly Position[]): string => {
  const bytes: number[] = [];
  let previous = after;
  for (const at of positions) {
    if (at <= previous) throw new RangeError(`positions do not ascend: ${at} after ${previous}`);
    writeVarint(bytes, at - previous);
    previous = at;
  }
  return Buffer.from(bytes).toString('base64');
};

/** @throws RangeError if the text was not made by `encodePositions` */
export const decodePositions = (after: Position, text: string): readonly Position[] => {
  let previous: bigint = after;
  return readVarints(Buffer.from(text, 'base64')).map((distance) => {
    if (distance === 0n) throw new RangeError('a position appears twice');
    return position((previous += distance));
  });
};

const writeVarint = (bytes: number[], value: bigint): void => {
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
};

const readVarints = (bytes: Uint8Array): readonly bigint[] => {
  const values: bigint[] = [];
  let [value, shift] = [0n, 0n];
  for (const byte of bytes) {
    value |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
    if (shift > 70n) throw new RangeError('a distance beyond 64 bits');
    if (byte & 0x80) continue;
    values.push(value);
    [value, shift] = [0n, 0n];
  }
  if (shift > 0n) throw new RangeError('an unfinished distance');
  return values;
};
