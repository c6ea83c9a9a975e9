import type { LanguageCount } from '@palimpsest/knowledge/read-models';
import { DEFAULT_TENANT, knowledgeBaseId, vectorScope } from '@palimpsest/knowledge/values';
import { MainLanguages } from './main-languages.ts';

const scope = { tenant: DEFAULT_TENANT, scope: vectorScope('deployment') };
const [manuals, notes, empty] = ['manuals', 'notes', 'empty'].map((name) => knowledgeBaseId(name)) as [
  ReturnType<typeof knowledgeBaseId>,
  ReturnType<typeof knowledgeBaseId>,
  ReturnType<typeof knowledgeBaseId>,
];
const COUNTS: readonly LanguageCount[] = [
  { knowledgeBase: manuals, language: 'de', documents: 1, chunks: 30 },
  { knowledgeBase: manuals, language: 'en', documents: 1, chunks: 20 },
  { knowledgeBase: manuals, language: 'ru', documents: 1, chunks: 4 },
  { knowledgeBase: notes, language: 'en', documents: 1, chunks: 90 },
  { knowledgeBase: notes, language: 'und', documents: 1, chunks: 900 },
];

describe('The main language', () => {
  const main = new MainLanguages({ languages: async () => COUNTS });
  it('is the language of most chunks in the knowledge base', async () => expect(await main.of(scope, manuals, 'Kessel 4')).toBe('de'));
  it('is the language of most chunks in the scope if the knowledge base has none', async () =>
    expect(await main.of(scope, empty, 'Kettle 4')).toBe('en'));
  it('is a language with the script of the text', async () => expect(await main.of(scope, manuals, 'Котёл 4')).toBe('ru'));
  it('is that of the scope if no language of the knowledge base uses this script', async () =>
    expect(await main.of(scope, notes, 'Котёл 4')).toBe('ru'));
  it('is undefined (und) if no language fits', async () => expect(await main.of(scope, notes, 'やかん')).toBe('und'));

  it('is counted again after the maximum age', async () => {
    let [calls, now] = [0, 0];
    const counting = new MainLanguages({ languages: async () => (calls++, COUNTS) }, () => now);
    for (now of [0, 1_000, 1_999, 2_000]) await counting.of(scope, notes, 'Kettle');
    expect(calls).toBe(2);
  });
});
