import { chunkingSettings } from '@palimpsest/contracts';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { aDocument, wordWindow } from '../../test/documents.ts';
import { chunkerFor } from './chunker-for.ts';
import { chosenSettings } from './chunking-settings.ts';

describe('Chunking settings', () => {
  it('are empty by default', () => {
    expect(chunkingSettings()).toEqual({ markdown: {}, tokens: {}, sheets: {}, code: {} });
    expect(chunkingSettings({ tokens: { maxTokens: 256 } }).tokens).toEqual({ maxTokens: 256 });
  });

  it('that equal the former defaults count as not chosen', () => {
    const former = {
      markdown: { maxChars: 1_500 },
      tokens: { maxTokens: 500, overlap: 50, minTokens: 100 },
      sheets: { maxChars: 1_500 },
      code: { maxChars: 1_500, overlap: 200 },
    };
    expect(chosenSettings(chunkingSettings(former))).toEqual(chunkingSettings());
    const chosen = { ...former, markdown: { maxChars: 900 }, tokens: { ...former.tokens, overlap: 20 } };
    expect(chosenSettings(chunkingSettings(chosen))).toEqual({ ...chunkingSettings(), markdown: chosen.markdown, tokens: chosen.tokens });
  });

  it.each([
    [{ markdown: { maxChars: 10 } }, 'chunking.markdown.maxChars'],
    [{ tokens: { overlap: 200 } }, 'chunking.tokens.overlap'],
    [{ tokens: { maxTokens: 100, overlap: 26 } }, 'chunking.tokens.overlap'],
    [{ tokens: { minTokens: 300 } }, 'chunking.tokens.minTokens'],
    [{ code: { overlap: 20 } }, 'chunking.code.overlap'],
    [{ code: { overlap: -1 } }, 'chunking.code.overlap'],
    [{ windows: {} }, 'chunking'],
    ['large', 'chunking'],
  ])('refuse %j and name %s', (raw, field) => {
    expect(() => chunkingSettings(raw)).toThrow(InvalidValue);
    expect(() => chunkingSettings(raw)).toThrow(field);
  });

  it('select the chunker by the kind of document, and are part of its version', () => {
    const versions = (settings: unknown) =>
      (['markdown', 'text', 'sheets', 'code'] as const).map(
        (kind) => chunkerFor(aDocument({ kind, text: '' }), chunkingSettings(settings), wordWindow(256)).version,
      );
    expect(versions({})).toEqual(['markdown', 'tokens', 'sheets', 'code'].map((name) => `${name}@2/words-window-256`));
    expect(
      versions({
        markdown: { maxChars: 900 },
        tokens: { maxTokens: 200, overlap: 20 },
        sheets: { maxChars: 300 },
        code: { maxChars: 500, overlap: 9 },
      }),
    ).toEqual(['markdown@2/900', 'tokens@2/words-200-20', 'sheets@2/300', 'code@2/500-9']);
  });
});
