import type { TenantScope } from '../values/scope.ts';
import { subjectKey, type Sealing, type SubjectId, type SubjectKey } from '../values/subject.ts';
import type { TenantId } from '../values/tenant.ts';
import { KnowledgeError } from '../errors.ts';

/**
 * Seals, opens and digests data with the key of one scope, or of a data subject in it. Synchronous, since a replay opens millions of values.
 * Sealed bytes: 1 byte format (1), 12 bytes nonce, ciphertext, 16 bytes tag (AES-256-GCM). Of a data subject: 1 byte format (2), 16 bytes
 * `SubjectKey`, then the same.
 */
export interface ScopeCipher {
  /** Binds the bytes to `context` (for example a chunk id), tenant and scope. Uses a random nonce. */
  seal(plain: Uint8Array, context: string): Uint8Array;
  /** @throws Corrupt if the bytes, context, scope or key differ from those used for sealing. */
  open(sealed: Uint8Array, context: string): Uint8Array;
  /**
   * HMAC-SHA-256 of `content` for one purpose, 64 lower-case hexadecimal digits. Equal content gives equal digests, so that equality can
   * be tested. No one without the key can confirm a guess, and no one at all once the key is destroyed.
   */
  digest(content: Uint8Array | string, purpose: string): string;
  /** Seals under a separate key, which is derived from the key of the scope for one purpose. It stops working when that is destroyed. */
  derived(purpose: string): Pick<ScopeCipher, 'seal' | 'open'>;
}

/** The key of the scope, or of the data subject, was destroyed. Data that it sealed can never be read again. */
export class ScopeKeyDestroyed extends KnowledgeError {
  readonly code = 'ScopeKeyDestroyed';
  readonly retryable = false;
}

/**
 * One key per scope, wrapped by a master key. Promises, all checked by `describeScopeKeys`:
 * - `cipher` creates the key on first use; concurrent first uses, even in several processes, give the same key;
 * - keys survive a restart; a wrong master key is reported as such and never causes a new key;
 * - data sealed for one scope, tenant or context cannot be opened for another;
 * - digests of equal content are equal, also after a restart, and differ between scopes, tenants and purposes;
 * - after `destroy`, `cipher` always throws ScopeKeyDestroyed, and existing ciphers stop working;
 * - with a `subject`, content is sealed under a key that is derived from those of the scope and of the subject: it stops opening when
 *   either is destroyed.
 */
export interface ScopeKeys {
  cipher(of: Sealing): Promise<ScopeCipher>;
  destroy(scope: TenantScope): Promise<void>;
  /** The scopes whose key was destroyed, by any process, in no particular order. */
  destroyed(): AsyncIterable<TenantScope>;
  readonly subjects: SubjectKeys;
  /**
   * Opens every stored key. Returns a message for each key that is damaged or wrapped by another master key, and for each scope of
   * `needed` without a key. Creates no keys. Not implemented where keys are not stored.
   */
  check?(needed?: readonly TenantScope[]): Promise<readonly string[]>;
}

/** A data subject of a tenant, by its key. */
export type TenantSubject = Readonly<{ tenant: TenantId; subject: SubjectKey }>;

/**
 * The keys of data subjects, wrapped by the master key. Which person has which key is stored under a keyed digest of their id, and is
 * forgotten with the erasure: a person who comes back gets a new key.
 */
export type SubjectKeys = Readonly<{
  /** The key of a person; the first call makes it, and concurrent ones agree. */
  of: (tenant: TenantId, id: SubjectId) => Promise<SubjectKey>;
  /** The same, without making one. */
  find: (tenant: TenantId, id: SubjectId) => Promise<SubjectKey | undefined>;
  /** Removes what says which person has this key. `id`: the person, if the caller knows; otherwise all names of the tenant are read. */
  forget: (of: TenantSubject, id?: SubjectId) => Promise<void>;
  /** Removes all keys of persons of a tenant, and who they were. Useless then: the keys of all of its scopes are destroyed. */
  forgetAll: (tenant: TenantId) => Promise<void>;
  /** What it sealed, in any scope, can never be read again. */
  destroy: (of: TenantSubject) => Promise<void>;
  /** Those whose key was destroyed, by any process, in no particular order. */
  destroyed: () => AsyncIterable<TenantSubject>;
}>;

const OF_SUBJECT = 2;

/** The data subject for whom these bytes were sealed, if any. */
export const subjectOf = (sealed: Uint8Array): SubjectKey | undefined =>
  sealed[0] === OF_SUBJECT
    ? subjectKey(Array.from(sealed.subarray(1, 17), (byte) => byte.toString(16).padStart(2, '0')).join(''))
    : undefined;
