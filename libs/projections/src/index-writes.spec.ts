import { sealText, toBase64 } from '@palimpsest/contracts';
import type { KnowledgeChunkIndexed } from '@palimpsest/knowledge/events';
import { chunkId, DEFAULT_TENANT, DEPLOYMENT } from '@palimpsest/knowledge/values';
import { InMemoryScopeKeys } from '@palimpsest/test-kit';
import type { RecordedContent } from './document-contents.ts';
import { lexicalPut } from './index-writes.ts';

const id = chunkId('a'.repeat(32));

describe('The lexical index entry of a chunk', () => {
  const put = async (language: string, ofDocument: string, declared = 'und', text = 'Kettles') => {
    const cipher = await new InMemoryScopeKeys().cipher({ tenant: DEFAULT_TENANT, scope: DEPLOYMENT });
    const sealedText = toBase64(sealText(cipher, id, { text, contextPrefix: '', headings: [] }));
    const chunk = { chunkId: id, language, sealedText } as KnowledgeChunkIndexed['data'];
    const content = { chunk } as RecordedContent;
    return lexicalPut(cipher, content, { document: ofDocument, declared }, {});
  };

  it('has its own language', async () => expect(await put('de', 'en')).toMatchObject({ text: 'Kettles', language: 'de' }));
  it('has the language of its document if it was recorded without one', async () =>
    expect((await put('und', 'en', 'fr')).language).toBe('en'));
  it('has the language that its knowledge base declares if neither has one', async () =>
    expect((await put('und', 'und', 'de')).language).toBe('de'));
  it('has no language if the declared one uses another script', async () => expect((await put('und', 'und', 'ru')).language).toBe('und'));
  it('has no language if none is known', async () => expect((await put('und', 'und')).language).toBe('und'));
});
