import { sealText, toBase64 } from '@palimpsest/contracts';
import type { KnowledgeChunkIndexed } from '@palimpsest/knowledge/events';
import { chunkId, DEFAULT_TENANT, DEPLOYMENT } from '@palimpsest/knowledge/values';
import { InMemoryScopeKeys } from '@palimpsest/test-kit';
import type { RecordedContent } from './document-contents.ts';
import { fieldsOf, lexicalPut } from './index-writes.ts';

const id = chunkId('a'.repeat(32));

describe('The lexical index entry of a chunk', () => {
  const put = async (language: string, ofDocument: string, declared = 'und', text = 'Kettles') => {
    const cipher = await new InMemoryScopeKeys().cipher({ tenant: DEFAULT_TENANT, scope: DEPLOYMENT });
    const sealedText = toBase64(sealText(cipher, id, { text, contextPrefix: '', headings: [] }));
    const chunk = { chunkId: id, language, sealedText } as KnowledgeChunkIndexed['data'];
    const content = { chunk } as RecordedContent;
    return lexicalPut(cipher, content, { document: ofDocument, declared }, { attributes: {}, fields: { title: 'Tea' } });
  };

  it('has its own language', async () => expect(await put('de', 'en')).toMatchObject({ text: 'Kettles', language: 'de' }));
  it('has the language of its document if it was recorded without one', async () =>
    expect((await put('und', 'en', 'fr')).language).toBe('en'));
  it('has the language that its knowledge base declares if neither has one', async () =>
    expect((await put('und', 'und', 'de')).language).toBe('de'));
  it('has no language if the declared one uses another script', async () => expect((await put('und', 'und', 'ru')).language).toBe('und'));
  it('has no language if none is known', async () => expect((await put('und', 'und')).language).toBe('und'));

  it('is found by the title of its document and by the name of its code', async () => {
    const cipher = await new InMemoryScopeKeys().cipher({ tenant: DEFAULT_TENANT, scope: DEPLOYMENT });
    const sealedText = toBase64(sealText(cipher, id, { text: '}', contextPrefix: '', headings: [] }));
    const chunk = { chunkId: id, language: 'en', symbol: 'boilWater', sealedText } as KnowledgeChunkIndexed['data'];
    const languages = { document: 'en', declared: 'und' };
    const { fields } = lexicalPut(cipher, { chunk } as RecordedContent, languages, { attributes: {}, fields: { title: 'Tea' } });
    expect(fields).toEqual({ title: 'Tea', symbol: 'boilWater' });
  });
});

describe('The fields of a document', () => {
  it('are its title and its metadata, without what is no word', () => {
    const metadata = {
      title: 'Tea, another title',
      description: 'How water boils',
      'author.name': 'A. Keeper',
      created: '2024-01-01T10:00:00+01:00',
      date: '2024-01-01',
      version: '1.2',
      draft: 'false',
      tags: 'tea, 2024',
    };
    expect(fieldsOf({ title: 'Tea', metadata })).toEqual({ title: 'Tea', metadata: 'How water boils\nA. Keeper\ntea, 2024' });
  });

  it('are only the title if the metadata has no words', () => {
    expect(fieldsOf({ title: 'Tea', metadata: { modified: '2024-01-01T10:00:00Z' } })).toEqual({ title: 'Tea' });
  });

  it('are cut, because every chunk repeats them', () => {
    expect(fieldsOf({ title: 'Tea', metadata: { keywords: 'leaf '.repeat(400) } }).metadata).toHaveLength(1_000);
  });
});
