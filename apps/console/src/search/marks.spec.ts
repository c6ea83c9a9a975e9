import fc from 'fast-check';
import { marksOf } from './marks.ts';

describe('a highlighted text', () => {
  it('marks its highlights and nothing else', () => {
    expect(
      marksOf('what to back up', [
        [8, 12],
        [13, 15],
      ]),
    ).toEqual([
      { at: 0, part: 'what to ', marked: false },
      { at: 8, part: 'back', marked: true },
      { at: 12, part: ' ', marked: false },
      { at: 13, part: 'up', marked: true },
    ]);
  });
  it('never changes, whatever the highlights are', () => {
    const pair = fc.tuple(fc.nat(40), fc.nat(40));
    fc.assert(
      fc.property(
        fc.string({ maxLength: 30 }),
        fc.array(pair),
        (text, pairs) =>
          void expect(
            marksOf(text, pairs)
              .map(({ part }) => part)
              .join(''),
          ).toBe(text),
      ),
    );
  });
});
