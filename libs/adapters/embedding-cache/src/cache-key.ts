import { createHmac } from 'node:crypto';

import type { EmbeddingKind, EmbeddingVersion, TenantId } from '@palimpsest/knowledge';

/** A 32-byte key for each tenant, derived from one secret, so that a tenant cannot find the entries of another. */
export const tenantSecret = (secret: Uint8Array, tenant: TenantId): Uint8Array => createHmac('sha256', secret).update(tenant).digest();

/**
 * Version, kind and HMAC-SHA-256 of the text, so that no text is kept, and only the same tenant finds the same text of the same
 * model. The digest is over UTF-16, because UTF-8 cannot encode lone surrogates: texts that differ only in them would get the same key.
 */
export const cacheKey = (secret: Uint8Array, version: EmbeddingVersion, kind: EmbeddingKind, text: string): string =>
  `${version} ${kind} ${createHmac('sha256', secret).update(text, 'utf16le').digest('base64url')}`;
