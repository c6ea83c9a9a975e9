import { termsDigest } from '@palimpsest/contracts';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { SealedRequest } from '@palimpsest/knowledge/events';
import type { ScopeCipher } from '@palimpsest/knowledge/ports';

/** Words that each hit must contain or must not contain. */
export type Terms = NonNullable<SealedRequest['terms']>;

const KINDS = ['required', 'excluded', 'phrases'] as const satisfies readonly (keyof Terms)[];

/** What any analysis finds words in. */
const PART_OF_WORD = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Nothing for terms without entries. @throws InvalidValue for an entry without a letter, a digit or an emoji, which no text could have */
export const askedTerms = (terms: Terms = {}): Readonly<{ terms?: Terms }> => {
  for (const kind of KINDS)
    for (const [i, entry] of (terms[kind] ?? []).entries())
      if (!PART_OF_WORD.test(entry)) throw new InvalidValue(`terms.${kind}[${i}]`, 'a text with a letter, a digit or an emoji', entry);
  return KINDS.every((kind) => (terms[kind] ?? []).length === 0) ? {} : { terms };
};

/** What the record of a search says about its terms, and what its sealed part contains; nothing if it has none. */
export const digestOfTerms = (cipher: ScopeCipher, terms?: Terms): Readonly<{ termsHash?: string }> =>
  terms === undefined ? {} : { termsHash: termsDigest(cipher, terms) };
export const sealedTerms = (terms?: Terms): Readonly<{ terms?: Terms }> => (terms === undefined ? {} : { terms });
