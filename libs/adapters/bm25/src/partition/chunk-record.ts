import type { ChunkId, LexicalPut } from '@palimpsest/knowledge';
import { analyse, primaryLanguage } from '../analysis/analyse.ts';
import { canonicalAttributes, lexicalDigest } from '@palimpsest/contracts';

/** What the index keeps of a put: counted terms instead of the text, so that reopening analyses nothing again. */
export type ChunkRecord = Readonly<{
  chunkId: ChunkId;
  /** 64 hexadecimal digits. */
  digest: string;
  /** What it was analysed as. */
  language: string;
  /** Canonical JSON. */
  attributes: string;
  /** Tokens in all. */
  length: number;
  terms: ReadonlyMap<string, number>;
}>;

export const toRecord = (put: LexicalPut): ChunkRecord => {
  const language = primaryLanguage(put.language);
  const { terms, length } = analyse(put.text, language);
  return { chunkId: put.chunkId, digest: lexicalDigest(put), language, attributes: canonicalAttributes(put.attributes), length, terms };
};
