import { position, type ChunkId, type Position } from '@palimpsest/knowledge';
import type { ChunkRecord } from '../partition/chunk-record.ts';
import { ByteReader, ByteWriter } from './byte-writer.ts';

/** One call of `apply`, with at most one write per chunk. `after`: the position that the partition had before it. */
export type Batch = Readonly<{ after: Position; upTo: Position; puts: readonly ChunkRecord[]; removals: readonly ChunkId[] }>;

export const encodeBatch = ({ after, upTo, puts, removals }: Batch): Buffer => {
  const out = new ByteWriter();
  out.text(String(after));
  out.text(String(upTo));
  out.number(removals.length);
  for (const chunkId of removals) out.hex(chunkId);
  out.number(puts.length);
  for (const put of puts) {
    out.hex(put.chunkId);
    out.hex(put.digest);
    out.text(put.language);
    out.text(put.attributes);
    out.number(put.length);
    out.number(put.terms.size);
    for (const [term, frequency] of put.terms) {
      out.text(term);
      out.number(frequency);
    }
  }
  return out.bytes();
};

export const decodeBatch = (bytes: Buffer): Batch => {
  const from = new ByteReader(bytes);
  const after = position(from.text());
  const upTo = position(from.text());
  const removals = list(from, () => from.hex(32) as ChunkId);
  const puts = list(from, () => ({
    chunkId: from.hex(32) as ChunkId,
    digest: from.hex(64),
    language: from.text(),
    attributes: from.text(),
    length: from.number(),
    terms: new Map(list(from, () => [from.text(), from.number()] as const)),
  }));
  return { after, upTo, puts, removals };
};

const list = <T>(from: ByteReader, read: () => T): T[] => {
  const items: T[] = [];
  for (let left = from.number(); left > 0; left--) items.push(read());
  return items;
};
