import { afterAll, beforeAll } from '@jest/globals';
import { describeLexicalIndex } from '@palimpsest/test-kit';
import { openQdrantLexicalIndex } from '../src/index.ts';
import { KEYS } from '../test/fixture.ts';
import { aPrefix, QdrantUnderTest } from '../test/qdrant-under-test.ts';

const server = new QdrantUnderTest();
beforeAll(() => server.start());
afterAll(() => server.stop());

/** Splits at anything but letters and digits. Ignores the language, since the kit's texts need none. */
const analyse = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}0-9]+/gu) ?? [];

/** Sufficient for the kit: by script. */
const queryLanguage = (text: string, languages: readonly string[]): string =>
  languages.find((language) => language !== 'und' && (language === 'ru') === /\p{Script=Cyrillic}/u.test(text)) ?? 'und';

const openForKit = async (batchPoints: number) => {
  const prefix = aPrefix();
  const open = () =>
    openQdrantLexicalIndex({
      ...server.address,
      keys: KEYS,
      prefix,
      analyse,
      queryLanguage,
      analyserVersion: 'words@1',
      averageLength: 5,
      batchPoints,
    });
  let index = open();
  return {
    index,
    reopen: async () => {
      await index.close();
      return (index = open());
    },
    dispose: async () => {
      await index.close();
      const last = open();
      await last.dropAll();
      await last.close();
    },
  };
};

describeLexicalIndex('Qdrant', () => openForKit(500), 'configured');
