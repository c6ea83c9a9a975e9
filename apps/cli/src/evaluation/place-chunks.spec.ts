import { placesIn } from './place-chunks.ts';

const SOURCE = '\uFEFFTides rise.\r\n\r\nThe\u00AD moon pulls\tthe sea.\r\nTides fall.\r\n';
const at = (text: string): number => SOURCE.indexOf(text);

describe('The place of a chunk in the source of its document', () => {
  it('is at its offsets where the source has the same text, also if the text is there twice', () => {
    const twice = 'again and again and';
    expect(placesIn(twice)({ text: 'again', start: 10, end: 15 })).toEqual({ start: 10, end: 15 });
  });

  it('is found where the parser changed white space, control characters or invisible ones', () => {
    const find = placesIn(SOURCE);
    const parsed = 'Tides rise.\n\nThe moon pulls the sea.\nTides fall.\n';
    const text = 'The moon pulls the sea.\nTides fall.';
    const start = parsed.indexOf(text);
    expect(find({ text, start, end: start + text.length })).toEqual({ start: at('The'), end: at('fall.') + 'fall.'.length });
    // The byte order mark moves even what did not change.
    expect(find({ text: 'Tides rise.', start: 0, end: 11 })).toEqual({ start: 1, end: 12 });
  });

  it('is not guessed: no place for a text that is not there, blank, or there twice', () => {
    const find = placesIn(SOURCE);
    for (const text of ['Tides sink.', ' \n', 'Tides']) expect(find({ text, start: 0, end: text.length })).toBeUndefined();
  });
});
