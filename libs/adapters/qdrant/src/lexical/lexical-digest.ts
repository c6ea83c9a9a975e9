import { createHash } from 'node:crypto';
import type { LexicalPut } from '@palimpsest/knowledge';
import { canonicalAttributes } from '../partitions/attribute-payload.ts';

/** SHA-256, 64 hexadecimal digits; the same definition as `lexicalDigest` of libs/adapters/bm25, so that `verify` finds the same on both. */
export const lexicalDigestQdrant = ({ chunkId, text, language, attributes }: Omit<LexicalPut, 'write'>): string =>
  createHash('sha256')
    .update(`[${JSON.stringify(chunkId)},${JSON.stringify(text)},${JSON.stringify(language)},${canonicalAttributes(attributes)}]`)
    .digest('hex');
