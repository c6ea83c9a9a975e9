import { createHmac, createSecretKey } from 'node:crypto';
import { embeddingVersionOf, tenantId } from '@palimpsest/knowledge/values';
import { cacheKey, tenantSecret, tenantTag } from './embedding-cache-key.ts';

const VERSION = embeddingVersionOf({ provider: 'fake', model: 'bag-of-words', dimensions: 64 });
const SECRET = createSecretKey(Buffer.alloc(32, 1));

describe('The key of a cached embedding', () => {
  it('is version, kind and HMAC-SHA-256 of the UTF-16 text', () => {
    const digest = createHmac('sha256', SECRET).update(Buffer.from('a\0')).digest('base64url');
    expect(cacheKey(SECRET, VERSION, 'query', 'a')).toBe(`${VERSION} query ${digest}`);
  });

  it('hides the text', () => expect(cacheKey(SECRET, VERSION, 'query', 'a secret')).not.toContain('secret'));

  it('distinguishes kinds, texts and texts that UTF-8 cannot represent', () => {
    const keys = [
      cacheKey(SECRET, VERSION, 'query', 'a'),
      cacheKey(SECRET, VERSION, 'passage', 'a'),
      cacheKey(SECRET, VERSION, 'query', '\ud800'),
      cacheKey(SECRET, VERSION, 'query', '\ud801'),
    ];
    expect(new Set(keys).size).toBe(4);
  });

  it('differs between tenants and between secrets', () => {
    const secrets = [SECRET, createSecretKey(Buffer.alloc(32, 2))].flatMap((secret) =>
      ['one', 'two'].map((tenant) => tenantSecret(secret, tenantId(tenant))),
    );
    expect(new Set(secrets.map((secret) => cacheKey(secret, VERSION, 'query', 'a'))).size).toBe(4);
  });

  it('has a tag for each tenant, from which neither its name nor its secret follows', () => {
    const [one, other] = ['acme', 'other'].map((name) => tenantTag(tenantSecret(SECRET, tenantId(name))));
    expect(one).toMatch(/^[\w-]{22}$/);
    expect(one).not.toBe(other);
  });
});
