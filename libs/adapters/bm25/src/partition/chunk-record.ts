import type { LexicalPut } from '@palimpsest/knowledge/read-models';
import type { ChunkId } from '@palimpsest/knowledge/values';
import { analyse, primaryLanguage } from '../analysis/analyse.ts';
// A subpath instead of all contracts: the analysis thread needs only this part, and starts in a quarter of the time.
import { canonicalAttributes, lexicalDigestOf } from '@palimpsest/contracts/index-digests';

/** What the index stores of a put: counted terms instead of the text, so that nothing is analysed again after reopening. */
export type ChunkRecord = Readonly<{
  chunkId: ChunkId;
  /** 64 hexadecimal digits. */
  digest: string;
  /** The language of the analysis. */
  language: string;
  /** Canonical JSON. */
  attributes: string;
  /** The number of tokens. */
  length: number;
  terms: ReadonlyMap<string, number>;
}>;

/** The input of the analysis: a put with its attributes as canonical JSON, so that it can be sent to another thread. */
export type AnalysedPut = Readonly<{ chunkId: ChunkId; text: string; language: string; attributes: string }>;

export const toAnalyse = ({ chunkId, text, language, attributes }: LexicalPut): AnalysedPut => ({
  chunkId,
  text,
  language,
  attributes: canonicalAttributes(attributes),
});

export const analysed = (put: AnalysedPut): ChunkRecord => {
  const language = primaryLanguage(put.language);
  const { terms, length } = analyse(put.text, language);
  return { chunkId: put.chunkId, digest: lexicalDigestOf(put, put.attributes), language, attributes: put.attributes, length, terms };
};

export const toRecord = (put: LexicalPut): ChunkRecord => analysed(toAnalyse(put));
