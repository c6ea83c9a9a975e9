import type { ChunkId, LexicalPut } from '@palimpsest/knowledge';
import { analyse, primaryLanguage } from '../analysis/analyse.ts';
// Not all contracts: the analysing thread needs only this of them, and starts in a quarter of the time.
import { canonicalAttributes, lexicalDigestOf } from '@palimpsest/contracts/index-digests';

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

/** What is analysed: a put, its attributes as canonical JSON already, so that it goes to another thread as it is. */
export type AnalysedPut = Readonly<{ chunkId: ChunkId; text: string; language: string; attributes: string }>;

export const toAnalyse = ({ chunkId, text, language, attributes }: LexicalPut): AnalysedPut => ({ chunkId, text, language, attributes: canonicalAttributes(attributes) });

export const analysed = (put: AnalysedPut): ChunkRecord => {
  const language = primaryLanguage(put.language);
  const { terms, length } = analyse(put.text, language);
  return { chunkId: put.chunkId, digest: lexicalDigestOf(put, put.attributes), language, attributes: put.attributes, length, terms };
};

export const toRecord = (put: LexicalPut): ChunkRecord => analysed(toAnalyse(put));
