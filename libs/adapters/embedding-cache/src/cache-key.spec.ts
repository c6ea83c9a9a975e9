import { embeddingVersion, tenantId } from '@palimpsest/knowledge';

import { cacheKey, tenantSecret } from './cache-key.ts';

const SECRET = Buffer.alloc(32, 1);
const OTHER_SECRET = Buffer.alloc(32, 2);

describe('a cache key', () => {
  it('contains version and kind, and hides the text', () => {
    const key = cacheKey(SECRET, embeddingVersion('fake:m/8'), 'query', 'a secret');
    expect(key).toMatch(/^fake:m\/8 query [\w-]{43}$/);
    expect(key).not.toContain('secret');
  });

  it('is the same only for the same text', () => {
    const keyOf = (text: string): string => cacheKey(SECRET, embeddingVersion('fake:m/8'), 'query', text);
    expect(keyOf('a')).toBe(keyOf('a'));
    expect(new Set(['a', 'b', 'A', 'a ', '\ud800', '\ud801', '\ufffd'].map(keyOf)).size).toBe(7);
  });

  it('differs between tenants and between secrets', () => {
    const secrets = [SECRET, OTHER_SECRET].flatMap((secret) => ['one', 'two'].map((tenant) => tenantSecret(secret, tenantId(tenant))));
    const keys = secrets.map((secret) => cacheKey(secret, embeddingVersion('fake:m/8'), 'query', 'a'));
    expect(new Set(keys).size).toBe(4);
  });
});
