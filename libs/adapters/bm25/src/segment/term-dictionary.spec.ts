import { runToCompletion } from '@palimpsest/foundation';
import { anyText } from '@palimpsest/test-kit';
import fc from 'fast-check';
import { TermDictionary } from './term-dictionary.ts';

describe('TermDictionary', () => {
  it('numbers terms like a Map, finds them again, and can be restored from its arrays', () =>
    fc.assert(
      fc.property(fc.array(anyText({ maxLength: 12 }), { maxLength: 300 }), (terms) => {
        const dictionary = TermDictionary.empty();
        const expected = new Map<string, number>();
        for (const term of terms) {
          if (!expected.has(term)) expected.set(term, expected.size);
          expect(dictionary.intern(term)).toBe(expected.get(term));
        }
        const restored = TermDictionary.restore(dictionary.units().slice(), dictionary.starts().slice());
        for (const [term, number] of expected) expect(restored.find(term)).toBe(number);
        expect([restored.size, restored.find('\u0000not there')]).toEqual([expected.size, -1]);
        expect(restored.intern('\u0000not there')).toBe(expected.size);
      }),
    ));

  it('finds a term by its UTF-8 bytes and by its string', () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: fc.constantFrom('a', 'b', 'é', '中', '😀'), maxLength: 4 }), fc.boolean())),
        (terms) => {
          const dictionary = TermDictionary.empty();
          const expected = new Map<string, number>();
          for (const [term, asBytes] of terms) {
            if (!expected.has(term)) expected.set(term, expected.size);
            const bytes = Buffer.from(`<${term}>`);
            expect(asBytes ? dictionary.internBytes(bytes, 1, bytes.length - 1) : dictionary.intern(term)).toBe(expected.get(term));
          }
        },
      ),
    ));

  it('keeps only the given terms, in the given order', () => {
    const dictionary = TermDictionary.empty();
    for (const term of ['a', 'bb', 'ccc', 'dddd']) dictionary.intern(term);
    const kept = runToCompletion(dictionary.onlySteps(Uint32Array.of(3, 1)));
    expect([kept.size, kept.find('dddd'), kept.find('bb'), kept.find('a')]).toEqual([2, 0, 1, -1]);
  });
});
