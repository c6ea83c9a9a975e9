import fc from 'fast-check';
import { EXPANSION_LIMITS, surroundings, withoutRepeats, type Passage } from './surroundings.ts';

/** Chunks of one text, from `start` to `end`. */
const passage = (index: number, start: number, text: string, headings: readonly string[] = []): Passage =>
  ({ chunk: { index, start, end: start + text.length }, text: { text, headings, contextPrefix: '' } }) as unknown as Passage;
const textsOf = (passages: readonly Passage[]) => passages.map(({ text: { text } }) => text);
const always = () => true;

describe('the passages around a result', () => {
  const all = ['aa', 'bb', 'cc', 'dd', 'ee'].map((text, i) => passage(i, 10 * i, text));
  const hit = all[2] as Passage;
  const around = (reach: number, belongs: (one: Passage) => boolean = always, known = all) =>
    textsOf(surroundings(hit, (index) => known[index], { reach, belongs }));

  it('are those next to it, in order', () => {
    expect([0, 1, 2, 8].map((reach) => around(reach))).toEqual([[], ['bb', 'dd'], ['aa', 'bb', 'dd', 'ee'], ['aa', 'bb', 'dd', 'ee']]);
  });
  it('end at the first one that does not belong to it, or that is missing', () => {
    expect(around(8, ({ text: { text } }) => text !== 'bb')).toEqual(['dd', 'ee']);
    expect(around(8, always, all.with(3, undefined as never))).toEqual(['aa', 'bb']);
  });
  it('have a limited number of characters, the nearest first', () => {
    const large = passage(1, 0, 'x'.repeat(EXPANSION_LIMITS.characters - 2));
    expect(around(8, always, all.with(1, large))).toEqual([large.text.text, 'dd']);
    expect(around(8, always, all.with(1, passage(1, 0, 'x'.repeat(EXPANSION_LIMITS.characters + 1))))).toEqual(['dd', 'ee']);
  });
});

describe('texts without repeats', () => {
  it('are, joined, the text of the document, however chunks overlap', () =>
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 60 }).map((text) => text.replaceAll(/\s/g, '_')),
        fc.array(fc.tuple(fc.nat(12), fc.nat(12)), { minLength: 1, maxLength: 8 }),
        fc.nat(7),
        (text, steps, wanted) => {
          // Starts and ends ascend, and nothing is left out, as a chunker makes them.
          const chunks: Passage[] = [];
          let [start, end] = [0, 0];
          for (const [i, [forward, length]] of steps.entries()) {
            start = Math.min(end, start + forward);
            end = Math.min(text.length, Math.max(end, start + length));
            chunks.push(passage(i, start, text.slice(start, end)));
          }
          const hit = chunks[wanted % chunks.length] as Passage;
          const rest = withoutRepeats(
            hit,
            chunks.filter((one) => one !== hit),
          );
          const joined = [...rest, hit].sort((one, other) => one.chunk.index - other.chunk.index);
          expect(textsOf(joined).join('')).toBe(text.slice(0, end));
        },
      ),
    ));
  it('are whole if a text does not have the length of its place', () => {
    const imported = { ...passage(0, 0, 'abc'), chunk: { index: 0, start: 0, end: 90 } } as unknown as Passage;
    expect(textsOf(withoutRepeats(passage(1, 1, 'bcd'), [imported]))).toEqual(['abc']);
  });
});
