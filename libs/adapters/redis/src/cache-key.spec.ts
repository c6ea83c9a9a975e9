import { embeddingVersionOf } from '@palimpsest/knowledge';
import { cacheKey } from './cache-key.ts';

const VERSION = embeddingVersionOf({ provider: 'fake', model: 'bag-of-words', dimensions: 64 });

describe('a cache key', () => {
  it('is version, kind and SHA-256 of the UTF-16 text', () => {
    // printf 'a\0' | sha256sum, in base64url
    expect(cacheKey(VERSION, 'query', 'a')).toBe(
      `${VERSION} query ${Buffer.from('ffe9aaeaa2a2d5048174df0b80599ef0197ec024c4b051bc9860cff58ef7f9f3', 'hex').toString('base64url')}`,
    );
  });

  it('tells kinds, texts and what UTF-8 cannot say apart', () => {
    const keys = [
      cacheKey(VERSION, 'query', 'a'),
      cacheKey(VERSION, 'passage', 'a'),
      cacheKey(VERSION, 'query', '\ud800'),
      cacheKey(VERSION, 'query', '\ud801'),
    ];
    expect(new Set(keys).size).toBe(4);
  });

  it('cannot be told from the text without the secret', () => {
    const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    expect(new Set([undefined, one, other].map((secret) => cacheKey(VERSION, 'query', 'a', secret))).size).toBe(3);
  });
});
