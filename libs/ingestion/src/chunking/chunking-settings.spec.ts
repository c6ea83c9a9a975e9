import { InvalidValue } from '@palimpsest/knowledge';
import { aDocument, wordCounter } from '../../test/documents.ts';
import { chunkerFor } from './chunker-for.ts';
import { chunkingSettings } from './chunking-settings.ts';

describe('Chunking settings', () => {
  it('have defaults', () => {
    expect(chunkingSettings()).toEqual({
      markdown: { maxChars: 1_500 },
      tokens: { maxTokens: 500, overlap: 50, minTokens: 100 },
      sheets: { maxChars: 1_500 },
      code: { maxChars: 1_500, overlap: 200 },
    });
    expect(chunkingSettings({ tokens: { maxTokens: 256 } }).tokens).toEqual({ maxTokens: 256, overlap: 50, minTokens: 100 });
  });

  it.each([
    [{ markdown: { maxChars: 10 } }, 'chunking.markdown.maxChars'],
    [{ tokens: { overlap: 200 } }, 'chunking.tokens.overlap'],
    [{ tokens: { minTokens: 300 } }, 'chunking.tokens.minTokens'],
    [{ code: { overlap: -1 } }, 'chunking.code.overlap'],
    [{ windows: {} }, 'chunking'],
    ['large', 'chunking'],
  ])('refuse %j and name %s', (raw, field) => {
    expect(() => chunkingSettings(raw)).toThrow(InvalidValue);
    expect(() => chunkingSettings(raw)).toThrow(field);
  });

  it('choose the chunker by the kind of document, and are part of its version', () => {
    const version = (kind: 'markdown' | 'text' | 'code' | 'sheets') =>
      chunkerFor(aDocument({ kind, text: '' }), chunkingSettings(), wordCounter).version;
    expect([version('markdown'), version('text'), version('sheets'), version('code')]).toEqual([
      'markdown@1/1500',
      'tokens@1/words-500-50-100',
      'sheets@1/1500',
      'code@1/1500-200',
    ]);
  });
});
