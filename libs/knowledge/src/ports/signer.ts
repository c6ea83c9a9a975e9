/**
 * Signs with the Ed25519 key (RFC 8032) of the installation. Promises, all checked by `describeSigner`:
 * - the key is the same after a restart and in every process with the same master key, and another one with another master key;
 * - a signature of some bytes is no signature of others.
 */
export interface Signer {
  /** The public key, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** The signature has 64 bytes. */
  sign(message: Uint8Array): Promise<Uint8Array>;
}
