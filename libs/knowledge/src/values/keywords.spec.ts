import fc from 'fast-check';
import { keywordsOf, keywordsText } from './keywords.ts';

describe('keywordsOf', () => {
  it.each<[string, readonly string[] | undefined]>([
    ['red', ['red']],
    ['red, blue;green ', ['red', 'blue', 'green']],
    ['zwei Wörter,\tdrei', ['zwei Wörter', 'drei']],
    ['红色，蓝色、绿色；黄色', ['红色', '蓝色', '绿色', '黄色']],
    ['أحمر، أزرق؛ أخضر', ['أحمر', 'أزرق', 'أخضر']],
    ['a,,b, ,', ['a', 'b']],
    ['', []],
    [' , ', []],
    ['["blue, light", " red ", ""]', ['blue, light', 'red']],
    [' ["red"]', ['red']],
    ['[]', []],
    ['[red]', undefined],
    ['["red", 1]', undefined],
    ['["red"', undefined],
    ['{"red": 1}', ['{"red": 1}']],
    ['null', ['null']],
  ])('reads %j as %j', (text, expected) => expect(keywordsOf(text)).toEqual(expected));
});

describe('keywordsText', () => {
  it('writes JSON only where commas would not do', () => {
    expect(keywordsText(['red', 'light blue'])).toBe('red, light blue');
    expect(keywordsText(['blue, light', 'red'])).toBe('["blue, light","red"]');
    expect(keywordsText(['[red]'])).toBe('["[red]"]');
    expect(keywordsText([])).toBe('');
  });

  it('lists exactly the keywords that were written, without spaces around them', () =>
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'é', ',', ';', '、', '[', ']', '"', '\\', ' ', '\n') })), (keywords) =>
        expect(keywordsOf(keywordsText(keywords))).toEqual(keywords.map((one) => one.trim()).filter((one) => one !== '')),
      ),
    ));
});
