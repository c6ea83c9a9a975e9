import fc from 'fast-check';

/** Names that every object has: code that uses texts as keys of plain objects fails on them. */
const DANGEROUS = ['__proto__', 'constructor', 'hasOwnProperty', 'prototype', 'toString', 'valueOf'];

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const LAST = 0x10ffff;

/** Any code point except surrogates. */
const character = fc
  .integer({ min: 0, max: LAST - SURROGATES })
  .map((ordinal) => String.fromCodePoint(ordinal < FIRST_SURROGATE ? ordinal : ordinal + SURROGATES));

/**
 * Any text, as `fc.string({ unit: 'binary' })` generates it. That one lists all of Unicode in a table first, which costs .7 s and
 * 150 MB in every spec file that uses it.
 *
 * @param maxLength in code points
 */
export const anyText = ({ maxLength }: Readonly<{ maxLength: number }>): fc.Arbitrary<string> => {
  const short = DANGEROUS.filter((text) => text.length <= maxLength);
  const free = fc.array(character, { maxLength }).map((characters) => characters.join(''));
  return short.length === 0 ? free : fc.oneof({ weight: 12, arbitrary: free }, { weight: 1, arbitrary: fc.constantFrom(...short) });
};
