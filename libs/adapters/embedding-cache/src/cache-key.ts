import { createHash } from 'node:crypto';

import type { EmbeddingKind, EmbeddingVersion } from '@palimpsest/knowledge';

/**
 * Version, kind and SHA-256 of the text, so that no text is kept and nothing but the same text of the same model is found.
 * The hash is over UTF-16, because UTF-8 has no form for lone surrogates: two texts that differ in them would be one.
 */
export const cacheKey = (version: EmbeddingVersion, kind: EmbeddingKind, text: string): string =>
  `${version} ${kind} ${createHash('sha256').update(text, 'utf16le').digest('base64url')}`;
