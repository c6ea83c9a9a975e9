import { decodePositions, encodePositions } from '@palimpsest/contracts';
import type { StreamName } from '@palimpsest/knowledge/ports';
import type { SignedCheckpoint } from '@palimpsest/knowledge/proofs';
import type { Position } from '@palimpsest/knowledge/values';

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
  const expiring: Record<string, [index: number, revision: number][]> = {};
  for (const [index, { expires }] of entries.entries())
    if (expires !== undefined) (expiring[expires.stream] ??= []).push([index, expires.revision]);
  return {
    records: entries.length,
    positions: encodePositions(
      after,
      entries.map(({ position }) => position),
    ),
    contents: Buffer.concat(entries.map(({ content }) => content)).toString('base64'),
    expiring,
  };
};

/** @throws RangeError if the parts do not fit together */
export const decodeEntries = (after: Position, { records, positions, contents, expiring }: EncodedEntries): readonly CheckpointEntry[] => {
  const [places, digests] = [decodePositions(after, positions), Buffer.from(contents, 'base64')];
  if (places.length !== records || digests.length !== records * CONTENT_BYTES) throw new RangeError('another number of records');
  const expires = new Map<number, Required<CheckpointEntry>['expires']>();
  for (const [stream, found] of Object.entries(expiring))
    for (const [index, revision] of found) expires.set(index, { stream: stream as StreamName, revision });
  return places.map((position, index) => {
    const limited = expires.get(index);
    return {
      position,
      content: digests.subarray(index * CONTENT_BYTES, (index + 1) * CONTENT_BYTES),
      ...(limited ? { expires: limited } : {}),
    };
  });
};
