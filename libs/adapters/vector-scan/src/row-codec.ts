import type { Attributes } from '@palimpsest/knowledge/access';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { position } from '@palimpsest/knowledge/values';
import type { RowBatch } from './row-batch.ts';
import { inParts, type RowParts } from './row-parts.ts';
import { canonicalAttributes } from '@palimpsest/contracts';

const HEAD_BYTES = 24;

/**
 * The parts of a frame. The first one, little-endian: upTo u64 | dimensions u32 | rows u32 | removals u32 | length of the sets u32 |
 * sets (JSON list of canonical records, padded with spaces to 4 bytes) | record numbers | ids of the rows' chunks | ids of removals.
 * Then the vectors, some rows in each part.
 */
export const encodeRows = (batch: RowBatch): readonly Uint8Array[] => {
  const text = Buffer.from(`[${batch.sets.join(',')}]`, 'utf8');
  const sets = Buffer.concat([text, Buffer.alloc(-text.length & 3, ' ')]);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeBigUInt64LE(batch.upTo, 0);
  head.writeUInt32LE(batch.dimensions, 8);
  head.writeUInt32LE(batch.setOf.length, 12);
  head.writeUInt32LE(batch.removeKeys.length / 4, 16);
  head.writeUInt32LE(sets.length, 20);
  return [Buffer.concat([head, sets, bytesOf(batch.setOf), bytesOf(batch.putKeys), bytesOf(batch.removeKeys)]), ...batch.vectors.parts];
};

const bytesOf = (words: Uint32Array): Uint8Array => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);

/** Reads what is needed to open a file from the first part of a frame, without decoding all of it. */
export const peekRows = (first: Uint8Array): Pick<RowBatch, 'upTo' | 'dimensions'> & Readonly<{ removals: number }> => {
  if (first.length < HEAD_BYTES) throw new Corrupt(`a frame has only ${first.length} bytes`);
  const view = new DataView(first.buffer, first.byteOffset);
  return { upTo: position(view.getBigUint64(0, true)), dimensions: view.getUint32(8, true), removals: view.getUint32(16, true) };
};

/**
 * @param parts of a frame, or its only part as earlier versions wrote it, with the vectors at its end. Each must start at a multiple of 4
 * in its buffer; the batch refers to its memory
 */
export const decodeRows = ([first = new Uint8Array(0), ...vectors]: readonly Uint8Array[]): RowBatch => {
  const { upTo, dimensions } = peekRows(first);
  const view = new DataView(first.buffer, first.byteOffset);
  const [puts, removals, setsLength] = [view.getUint32(12, true), view.getUint32(16, true), view.getUint32(20, true)];
  const rowBytes = 4 * dimensions;
  const vectorBytes = rowBytes * puts;
  const withoutVectors = HEAD_BYTES + setsLength + 20 * puts + 16 * removals;
  const areTogether = vectors.length === 0 && vectorBytes > 0;
  checkLength(first.length, withoutVectors + (areTogether ? vectorBytes : 0));
  let at = first.byteOffset + HEAD_BYTES + setsLength;
  const words = (count: number): Uint32Array => {
    const part = new Uint32Array(first.buffer, at, count);
    at += part.byteLength;
    return part;
  };
  const text = Buffer.from(first.buffer, first.byteOffset + HEAD_BYTES, setsLength).toString('utf8');
  const sets = (JSON.parse(text) as Attributes[]).map(canonicalAttributes);
  return {
    upTo,
    dimensions,
    sets,
    setOf: words(puts),
    putKeys: words(4 * puts),
    removeKeys: words(4 * removals),
    vectors: areTogether ? inParts(first.subarray(withoutVectors), rowBytes) : partsOf(vectors, rowBytes, puts),
  };
};

const partsOf = (parts: readonly Uint8Array[], rowBytes: number, rows: number): RowParts => {
  const rowsPerPart = rowBytes === 0 ? 1 : Math.max(1, (parts[0]?.length ?? 0) / rowBytes);
  parts.forEach((part, i) => checkLength(part.length, Math.min(rowsPerPart, rows - i * rowsPerPart) * rowBytes));
  if (parts.length !== Math.ceil((rowBytes * rows) / (rowBytes * rowsPerPart || 1)))
    throw new Corrupt(`a frame has ${parts.length} parts for ${rows} vectors`);
  return { rowsPerPart, parts };
};

const checkLength = (found: number, expected: number): void => {
  if (found !== expected) throw new Corrupt(`a part of a frame has ${found} bytes instead of ${expected}`);
};
