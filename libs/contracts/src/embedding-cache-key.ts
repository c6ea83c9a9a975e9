import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { EmbeddingKind } from '@palimpsest/knowledge/ports';
import type { EmbeddingVersion, TenantId } from '@palimpsest/knowledge/values';

/** A key of 32 bytes for each tenant, derived from one secret: no other tenant can find its entries. */
export const tenantSecret = (secret: KeyObject, tenant: TenantId): KeyObject =>
  createSecretKey(createHmac('sha256', secret).update(tenant).digest());

/** Which entries are of a tenant, so that they can be removed; says nothing else about it. */
export const tenantTag = (tenantsSecret: KeyObject): string =>
  createHmac('sha256', tenantsSecret).update('tag').digest('base64url').slice(0, 22);

/**
 * Version, kind (a `background` text is a passage) and HMAC-SHA-256 of the text: a key reveals neither the text nor the tenant. The digest is over UTF-16, because
 * UTF-8 cannot represent lone surrogates: two texts that differ only in them would get the same key.
 */
export const cacheKey = (secret: KeyObject, version: EmbeddingVersion, kind: EmbeddingKind, text: string): string =>
  `${version} ${kind === 'query' ? kind : 'passage'} ${createHmac('sha256', secret).update(text, 'utf16le').digest('base64url')}`;
