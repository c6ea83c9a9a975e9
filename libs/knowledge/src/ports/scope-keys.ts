import type { TenantScope } from '../values/scope.ts';
import { KnowledgeError } from '../errors.ts';

/**
 * Seals and opens under one scope's key. Synchronous: a replay opens millions.
 * Sealed bytes: 1 byte format (1), 12 bytes nonce, ciphertext, 16 bytes tag (AES-256-GCM).
 */
export interface ScopeCipher {
  /** `context` says what the bytes are (a chunk's id, say); tenant and scope are bound to them as well. A random nonce each time. */
  seal(plain: Uint8Array, context: string): Uint8Array;
  /** @throws Corrupt when the bytes, the context, the scope or the key differ from those they were sealed with. */
  open(sealed: Uint8Array, context: string): Uint8Array;
}

/** The scope's key was destroyed: what it sealed cannot be read any more, by anybody. */
export class ScopeKeyDestroyed extends KnowledgeError {
  readonly code = 'ScopeKeyDestroyed';
  readonly retryable = false;
}

/**
 * One key per scope, wrapped by a master key. Promises, all checked by `describeScopeKeys`:
 * - `cipher` makes the key on first use; concurrent first uses, also of several processes, agree on one key;
 * - keys survive a restart; a wrong master key is an error that says so, never a new key;
 * - what was sealed under one scope, tenant or context does not open under another;
 * - after `destroy`, `cipher` throws ScopeKeyDestroyed, for ever, and ciphers handed out before stop working too.
 */
export interface ScopeKeys {
  cipher(scope: TenantScope): Promise<ScopeCipher>;
  destroy(scope: TenantScope): Promise<void>;
  /**
   * Opens every stored key, and returns a sentence for each that is damaged or wrapped by another master key, and for each of
   * `needed` that is missing; creates none. Absent where keys are not stored.
   */
  check?(needed?: readonly TenantScope[]): Promise<readonly string[]>;
}
