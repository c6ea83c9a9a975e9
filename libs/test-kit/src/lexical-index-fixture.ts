import fc from 'fast-check';
import type { Attributes } from '@palimpsest/knowledge/access';
import type { IndexRemoval, LexicalIndex, LexicalPut } from '@palimpsest/knowledge/read-models';
import type { LexicalFields } from '@palimpsest/knowledge/texts';
import { aChunk, removal, type IndexUnderTest } from './index-fixture.ts';
import { attributes } from './vector-index-model.ts';

export type LexicalIndexUnderTest = IndexUnderTest<LexicalIndex>;

export type LexicalWrite = LexicalPut | IndexRemoval;

/** `und`: an unknown language, so that words are indexed unchanged. */
export const putText = (number: number, text: string, held: Attributes = {}, language = 'und'): LexicalPut => ({
  write: 'put',
  chunkId: aChunk(number),
  text,
  language,
  attributes: held,
});

/** Plain words, some frequent, so that there are ties, terms in every chunk and terms in none. */
const word = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('apple', 'berry', 'cedar') },
  { weight: 2, arbitrary: fc.constantFrom('dune', 'ember', 'fjord', 'grove', 'heath', 'islet', 'jetty', 'knoll') },
);
const textsUpTo = (maxLength: number) => fc.array(word, { maxLength }).map((words) => words.join(' '));
const texts = textsUpTo(12);
/** Words that are not in the text, too; an empty field adds nothing. */
const fields: fc.Arbitrary<LexicalFields> = fc.record(
  { title: textsUpTo(2), metadata: textsUpTo(3), symbol: textsUpTo(1) },
  { requiredKeys: [] },
);
export const queries = fc.array(fc.oneof(word, fc.constant('nowhere')), { minLength: 1, maxLength: 5 }).map((words) => words.join(' '));

const write: fc.Arbitrary<LexicalWrite> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.nat(40), texts, attributes, fc.option(fields, { nil: undefined }))
      .map(([n, text, held, of]) => ({ ...putText(n, text, held), ...(of && { fields: of }) })),
  },
  { weight: 1, arbitrary: fc.nat(40).map(removal) },
);

/** Sequential calls of `apply`. */
export const lexicalHistories = fc.array(fc.array(write, { maxLength: 30 }), { minLength: 1, maxLength: 8 });
