import fc from 'fast-check';

/** Names that every object answers to: what keeps texts as keys of plain objects trips over them. */
const DANGEROUS = ['__proto__', 'constructor', 'hasOwnProperty', 'prototype', 'toString', 'valueOf'];

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const LAST = 0x10ffff;

/** Any code point but the halves of surrogate pairs. */
const character = fc.integer({ min: 0, max: LAST - SURROGATES }).map((place) => String.fromCodePoint(place < FIRST_SURROGATE ? place : place + SURROGATES));

/**
 * Any text at all, as `fc.string({ unit: 'binary' })` makes it. That one lists all of Unicode in a table first, which costs .7 s and
 * 150 MB in every spec file that so much as mentions it.
 *
 * @param maxLength in code points
 */
export const anyText = ({ maxLength }: Readonly<{ maxLength: number }>): fc.Arbitrary<string> => {
  const short = DANGEROUS.filter((text) => text.length <= maxLength);
  const free = fc.array(character, { maxLength }).map((characters) => characters.join(''));
  return short.length === 0 ? free : fc.oneof({ weight: 12, arbitrary: free }, { weight: 1, arbitrary: fc.constantFrom(...short) });
};
