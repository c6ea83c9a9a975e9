import type { StreamName } from '@palimpsest/knowledge/ports';
import type { SignedCheckpoint } from '@palimpsest/knowledge/proofs';
import { position, type Position } from '@palimpsest/knowledge/values';

/** What a checkpoint says about one record. `expires`: set if its stream has an age limit. */
export type CheckpointEntry = Readonly<{
  position: Position;
  /** `recordDigest`, 32 bytes. */
  content: Buffer;
  expires?: Readonly<{ stream: StreamName; revision: number }>;
}>;

export type EncodedEntries = Pick<SignedCheckpoint, 'records' | 'positions' | 'contents' | 'expiring'>;

const CONTENT_BYTES = 32;

/** The leaf of the Merkle tree: what the signature covers of one record. */
export const leafOf = ({ position: at, content, expires }: CheckpointEntry): Buffer =>
  Buffer.from(JSON.stringify([String(at), content.toString('hex'), ...(expires ? [expires.stream, expires.revision] : [])]));

/** `after`: the position before the first entry. Positions ascend. */
export const encodeEntries = (after: Position, entries: readonly CheckpointEntry[]): EncodedEntries => {
  const bytes: number[] = [];
  const expiring: Record<string, [index: number, revision: number][]> = {};
  let previous = after;
  for (const [index, { position: at, expires }] of entries.entries()) {
    writeVarint(bytes, at - previous);
    previous = at;
    if (expires !== undefined) (expiring[expires.stream] ??= []).push([index, expires.revision]);
  }
  return {
    records: entries.length,
    positions: Buffer.from(bytes).toString('base64'),
    contents: Buffer.concat(entries.map(({ content }) => content)).toString('base64'),
    expiring,
  };
};

/** @throws RangeError if the parts do not fit together */
export const decodeEntries = (after: Position, { records, positions, contents, expiring }: EncodedEntries): readonly CheckpointEntry[] => {
  const [distances, digests] = [readVarints(Buffer.from(positions, 'base64')), Buffer.from(contents, 'base64')];
  if (distances.length !== records || digests.length !== records * CONTENT_BYTES) throw new RangeError('another number of records');
  const expires = new Map<number, Required<CheckpointEntry>['expires']>();
  for (const [stream, found] of Object.entries(expiring))
    for (const [index, revision] of found) expires.set(index, { stream: stream as StreamName, revision });
  let previous: bigint = after;
  return distances.map((distance, index) => {
    previous += distance;
    const limited = expires.get(index);
    return {
      position: position(previous),
      content: digests.subarray(index * CONTENT_BYTES, (index + 1) * CONTENT_BYTES),
      ...(limited ? { expires: limited } : {}),
    };
  });
};

/** Unsigned LEB128: seven bits in a byte, the lowest first. */
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
