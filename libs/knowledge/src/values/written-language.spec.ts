import { isWrittenLike, primaryLanguage } from './written-language.ts';

describe('A language', () => {
  it.each([
    ['en', 'Trains and buses'],
    ['ru', 'Поезда, URL'],
    ['el', 'Τρένα'],
    ['zh', '火车站时刻表 API'],
    ['ja', 'ひらがなと漢字'],
    ['ko', '기차'],
    ['ar', 'قطار'],
    ['th', 'รถไฟ'],
    ['sr', 'Возови'],
  ])('%s uses the script of %s', (language, text) => expect(isWrittenLike(language, text)).toBe(true));
  it.each([
    ['en', 'Поезда, URL'],
    ['ru', 'Trains'],
    ['zh', 'Trains'],
    ['en', '2026-11-23'],
    ['en', ''],
  ])('%s does not use the script of %j', (language, text) => expect(isWrittenLike(language, text)).toBe(false));
  it.each([
    ['de', 'de'],
    ['de-CH', 'de'],
    ['deu', 'de'],
    ['zh-Hant', 'zh'],
    ['not a tag', 'und'],
  ])('of the tag %j is %s', (tag, language) => expect(primaryLanguage(tag)).toBe(language));
  it('that is unknown counts as written in Latin letters', () => expect(isWrittenLike('not a code', 'Trains')).toBe(true));
});
