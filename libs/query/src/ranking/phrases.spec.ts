import { containsPhrases } from './phrases.ts';

describe('A phrase', () => {
  it.each([
    ['annual report', 'The Annual   Report, 2026', true],
    ['annual report', 'an annual and a report', false],
    ['report annual', 'the annual report', false],
    ['annual report', 'annual reports', false],
    ['port', 'a report', false],
    ['state of the art', 'State-of-the-art pumps', true],
    ['cafe noir', 'un café noir', true],
    ['os.path', 'import os.path as p', true],
    ['max_tokens', 'set max_tokens: 5', true],
    ['東京都', '東京都庁の天気', true],
    ['東京都', '京都と東京', false],
    ['서울', '서울에서 만나요', true],
    ['가', '각', false],
    ['ภาษาไทย', 'ฉันพูดภาษาไทยได้', true],
    ['🚀 launch', 'the 🚀launch', true],
  ])('%j in %j: %j', (phrase, text, expected) => expect(containsPhrases([phrase])(text)).toBe(expected));

  it('must occur together with all others', () => {
    expect(containsPhrases(['hot water', 'green tea'])('green tea with hot water')).toBe(true);
    expect(containsPhrases(['hot water', 'black tea'])('green tea with hot water')).toBe(false);
  });
});
