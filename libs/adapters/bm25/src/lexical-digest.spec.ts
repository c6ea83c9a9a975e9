import { createHash } from 'node:crypto';
import { chunkId } from '@palimpsest/knowledge';
import { lexicalDigest } from './lexical-digest.ts';

const put = { chunkId: chunkId('0'.repeat(32)), text: 'a text', language: 'en', attributes: { b: 1, a: 'x' } };

describe('lexicalDigest', () => {
  it('is the SHA-256 of id, text, language and attributes in one canonical JSON', () => {
    const json = `["${'0'.repeat(32)}","a text","en",{"a":"x","b":1}]`;
    expect(lexicalDigest(put)).toBe(createHash('sha256').update(json).digest('hex'));
  });

  it('changes with each of them, but not with the order of attributes', () => {
    const others = [{ ...put, text: 'a text ' }, { ...put, language: 'de' }, { ...put, attributes: { b: '1', a: 'x' } }, { ...put, chunkId: chunkId('1'.repeat(32)) }];
    expect(new Set([put, ...others].map(lexicalDigest)).size).toBe(5);
    expect(lexicalDigest({ ...put, attributes: { a: 'x', b: 1 } })).toBe(lexicalDigest(put));
  });
});
