import type { LexicalPut } from '@palimpsest/knowledge/read-models';
import { weightedTexts } from '@palimpsest/knowledge/texts';
import type { ChunkId } from '@palimpsest/knowledge/values';
import { analyseWeighted, primaryLanguage } from '../analysis/analyse.ts';
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
  /** The number of tokens; as in `terms`, those of a field count as often as its weight says. */
  length: number;
  terms: ReadonlyMap<string, number>;
}>;

/** The input of the analysis: a put with its attributes as canonical JSON, so that it can be sent to another thread. */
export type AnalysedPut = Omit<LexicalPut, 'write' | 'attributes'> & Readonly<{ attributes: string }>;

export const toAnalyse = ({ write: _, attributes, ...put }: LexicalPut): AnalysedPut => ({
  ...put,
  attributes: canonicalAttributes(attributes),
});

export const analysed = (put: AnalysedPut): ChunkRecord => {
  const language = primaryLanguage(put.language);
  const { terms, length } = analyseWeighted(weightedTexts(put), language);
  return { chunkId: put.chunkId, digest: lexicalDigestOf(put, put.attributes), language, attributes: put.attributes, length, terms };
};

export const toRecord = (put: LexicalPut): ChunkRecord => analysed(toAnalyse(put));
