import type { Attributes } from '@palimpsest/knowledge/access';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { position } from '@palimpsest/knowledge/values';
import type { RowBatch } from './row-batch.ts';
import { canonicalAttributes } from '@palimpsest/contracts';

const HEAD_BYTES = 24;

/**
 * The payload of a frame, little-endian: upTo u64 | dimensions u32 | rows u32 | removals u32 | length of the sets u32 |
 * sets (JSON list of canonical records, padded with spaces to 4 bytes) | record numbers | ids of the rows' chunks | ids of removals | vectors
 */
export const encodeRows = (batch: RowBatch): Uint8Array => {
  const text = Buffer.from(`[${batch.sets.join(',')}]`, 'utf8');
  const sets = Buffer.concat([text, Buffer.alloc(-text.length & 3, ' ')]);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeBigUInt64LE(batch.upTo, 0);
  head.writeUInt32LE(batch.dimensions, 8);
  head.writeUInt32LE(batch.setOf.length, 12);
  head.writeUInt32LE(batch.removeKeys.length / 4, 16);
  head.writeUInt32LE(sets.length, 20);
  return Buffer.concat([head, sets, bytesOf(batch.setOf), bytesOf(batch.putKeys), bytesOf(batch.removeKeys), batch.vectors]);
};

const bytesOf = (words: Uint32Array): Uint8Array => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);

/** Reads the parts of a frame that are needed to open a file, without decoding all of it. */
export const peekRows = (payload: Uint8Array): Pick<RowBatch, 'upTo' | 'dimensions'> & Readonly<{ removals: number }> => {
  if (payload.length < HEAD_BYTES) throw new Corrupt(`a frame has only ${payload.length} bytes`);
  const view = new DataView(payload.buffer, payload.byteOffset);
  return { upTo: position(view.getBigUint64(0, true)), dimensions: view.getUint32(8, true), removals: view.getUint32(16, true) };
};

/** @param payload must start at a multiple of 4 in its buffer; the batch refers to its memory */
export const decodeRows = (payload: Uint8Array): RowBatch => {
  const { upTo, dimensions } = peekRows(payload);
  const view = new DataView(payload.buffer, payload.byteOffset);
  const [puts, removals, setsLength] = [view.getUint32(12, true), view.getUint32(16, true), view.getUint32(20, true)];
  const expected = HEAD_BYTES + setsLength + 20 * puts + 16 * removals + 4 * dimensions * puts;
  if (payload.length !== expected) throw new Corrupt(`a frame has ${payload.length} bytes instead of ${expected}`);
  let at = payload.byteOffset + HEAD_BYTES + setsLength;
  const words = (count: number): Uint32Array => {
    const part = new Uint32Array(payload.buffer, at, count);
    at += part.byteLength;
    return part;
  };
  const text = Buffer.from(payload.buffer, payload.byteOffset + HEAD_BYTES, setsLength).toString('utf8');
  const sets = (JSON.parse(text) as Attributes[]).map(canonicalAttributes);
  return {
    upTo,
    dimensions,
    sets,
    setOf: words(puts),
    putKeys: words(4 * puts),
    removeKeys: words(4 * removals),
    vectors: new Uint8Array(payload.buffer, at, 4 * dimensions * puts),
  };
};
