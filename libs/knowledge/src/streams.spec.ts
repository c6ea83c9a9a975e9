import fc from 'fast-check';
import { streamName } from './ports/event-log.ts';
import { blobKey } from './ports/blob-store.ts';
import { InvalidValue } from './errors.ts';
import { documentStream, knowledgeBaseStream, retrievalStream, scopeStream, tenantStream } from './streams.ts';
import { documentId, knowledgeBaseId } from './values/ids.ts';
import { vectorScope } from './values/scope.ts';
import { tenantId } from './values/tenant.ts';

/** Parts that collide unless they are escaped. */
const parts = fc.array(fc.oneof(fc.stringMatching(/^[a%:2D3A-]{0,4}$/), fc.string({ unit: 'grapheme', maxLength: 5 })), { maxLength: 3 });

describe('stream names', () => {
  it('differ if their parts differ', () =>
    fc.assert(
      fc.property(parts, parts, (a, b) =>
        expect(streamName('document', ...a) === streamName('document', ...b)).toBe(JSON.stringify(a) === JSON.stringify(b)),
      ),
      { numRuns: 2_000 },
    ));

  it('never change', () => {
    const tenant = tenantId('acme-b');
    expect([
      documentStream(tenant, documentId('a'.repeat(32))),
      knowledgeBaseStream(tenant, knowledgeBaseId('hand-book')),
      scopeStream({ tenant, scope: vectorScope('team:red-1') }),
      retrievalStream(tenant),
      tenantStream(tenant),
    ]).toEqual([
      `document-acme%2Db-${'a'.repeat(32)}`,
      'knowledge_base-acme%2Db-hand%2Dbook',
      'scope-acme%2Db-team:red%2D1',
      '_platform.retrieval-acme%2Db',
      'tenant-acme%2Db',
    ]);
  });
});

describe('blob keys', () => {
  it('accept safe paths', () => {
    for (const raw of ['a', 'documents/acme/x', 'keys/acme/user:ann@example.org', '.hidden', 'a..b', 'x'.repeat(200)])
      expect(blobKey(raw)).toBe(raw);
  });
  it('reject unsafe paths', () => {
    for (const raw of [
      '',
      '/',
      '/a',
      'a/',
      'a//b',
      '.',
      '..',
      'a/../b',
      './a',
      '...',
      'a\\b',
      'a b',
      'ä',
      'a\0',
      'x'.repeat(201),
      'x/'.repeat(451),
    ])
      expect(() => blobKey(raw)).toThrow(InvalidValue);
  });
});
