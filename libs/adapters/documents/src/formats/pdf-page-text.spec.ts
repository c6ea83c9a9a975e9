import { pageText } from './pdf-page-text.ts';

const line = (str: string, y: number, height = 10): { str: string; transform: number[]; height: number; hasEOL: boolean } => ({
  str,
  transform: [1, 0, 0, 1, 50, y],
  height,
  hasEOL: true,
});

describe('pageText', () => {
  it('separates paragraphs by the gap or the font size', () => {
    expect(pageText({ items: [line('Title', 700, 18), line('First line', 680), line('second line', 668), line('Next', 640)] })).toBe(
      'Title\n\nFirst line\nsecond line\n\nNext',
    );
  });

  it('joins hyphenated words, and keeps genuine hyphens', () => {
    expect(
      pageText({
        items: [
          line('an exam-', 700),
          line('ple of state-of-the-', 688),
          line('art, 1990-', 676),
          line('1995 and Jean-', 664),
          line('Luc', 652),
        ],
      }),
    ).toBe('an example of state-of-the-art, 1990-\n1995 and Jean-\nLuc');
  });

  it('starts a new paragraph at the next column', () => {
    expect(pageText({ items: [line('bottom left', 100), line('top right', 700)] })).toBe('bottom left\n\ntop right');
  });
});
