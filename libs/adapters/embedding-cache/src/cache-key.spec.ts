import { embeddingVersion } from '@palimpsest/knowledge';

import { cacheKey } from './cache-key.ts';

describe('a cache key', () => {
  it('says version and kind, and hides the text', () => {
    const key = cacheKey(embeddingVersion('fake:m/8'), 'query', 'a secret');
    expect(key).toMatch(/^fake:m\/8 query [\w-]{43}$/);
    expect(key).not.toContain('secret');
  });

  it('is the same for the same text only', () => {
    const keyOf = (text: string): string => cacheKey(embeddingVersion('fake:m/8'), 'query', text);
    expect(keyOf('a')).toBe(keyOf('a'));
    expect(new Set(['a', 'b', 'A', 'a ', '\ud800', '\ud801', '\ufffd'].map(keyOf)).size).toBe(7);
  });
});
