import { createHash, createHmac } from 'node:crypto';
import type { EmbeddingKind, EmbeddingVersion } from '@palimpsest/knowledge';

/**
 * Version, kind and SHA-256 of the text: what was embedded cannot be read from a key. Who knows a text can see whether it is
 * there; with a `secret` (then it is an HMAC) not even that.
 * The hash is over UTF-16, because UTF-8 has no form for lone surrogates: two texts that differ in them would be one.
 */
export const cacheKey = (version: EmbeddingVersion, kind: EmbeddingKind, text: string, secret?: Uint8Array): string => {
  const hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  return `${version} ${kind} ${hash.update(text, 'utf16le').digest('base64url')}`;
};
