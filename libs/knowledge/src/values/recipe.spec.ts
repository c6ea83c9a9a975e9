import fc from 'fast-check';
import { InvalidValue } from '../errors.ts';
import { chunkListId, chunkListOf, DEFAULT_CHUNK_LIST, KNOWLEDGE_BASE_CHUNKING } from './recipe.ts';

const size = fc.integer({ min: 1, max: 100_000 });
const kinds = fc.record(
  {
    markdown: fc.record({ maxChars: size }, { requiredKeys: [], noNullPrototype: true }),
    tokens: fc.record({ maxTokens: size, overlap: size }, { requiredKeys: [], noNullPrototype: true }),
    sheets: fc.constant({}),
    code: fc.record({ maxChars: size, overlap: size }, { requiredKeys: [], noNullPrototype: true }),
  },
  { noNullPrototype: true },
);
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    each !== null && typeof each === 'object' ? Object.fromEntries(Object.entries(each).sort()) : each,
  );

describe('the chunk list of a recipe', () => {
  it('is the default one where knowledge bases choose their settings', () =>
    expect(chunkListOf(KNOWLEDGE_BASE_CHUNKING)).toBe(DEFAULT_CHUNK_LIST));

  it('is the same for equal settings only, whatever their order', () =>
    fc.assert(
      fc.property(kinds, kinds, (a, b) => {
        const reversed = Object.fromEntries(Object.entries(a).reverse()) as typeof a;
        const list = chunkListOf({ settings: a, contextual: 'none' });
        expect(chunkListOf({ settings: reversed, contextual: 'none' })).toBe(list);
        expect(chunkListOf({ settings: b, contextual: 'none' }) === list).toBe(canonical(a) === canonical(b));
      }),
    ));

  it('depends on the contextual variant', () =>
    expect(chunkListOf({ settings: 'knowledge-base', contextual: 'headings-1' })).toBe('default+headings-1'));
  it('is refused with other characters', () => expect(() => chunkListId('a b')).toThrow(InvalidValue));
});
