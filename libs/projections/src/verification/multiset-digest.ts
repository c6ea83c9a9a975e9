import { hash } from 'node:crypto';

const MODULUS = 1n << 256n;

const valueOf = (element: string): bigint => BigInt(`0x${hash('sha256', element, 'hex')}`);

/**
 * A digest of a set of elements that does not depend on their order: the sum, modulo 2^256, of their SHA-256 (AdHash: Bellare and
 * Micciancio, Eurocrypt 1997). Adding and removing an element changes only the sum, so nothing is sorted or read again. It finds
 * damage. It does not stop an attacker, who can find other elements with the same sum faster than a collision of SHA-256 (Wagner,
 * Crypto 2002).
 */
export class MultisetDigest {
  #sum = 0n;

  add(element: string): void {
    this.#sum = (this.#sum + valueOf(element)) % MODULUS;
  }

  /** Takes back one `add` of the same element. */
  remove(element: string): void {
    this.#sum = (this.#sum + MODULUS - valueOf(element)) % MODULUS;
  }

  /** The digest of the elements of all of them together: 64 hexadecimal digits. */
  static ofAll(digests: readonly MultisetDigest[]): string {
    const sum = digests.reduce((total, digest) => (total + digest.#sum) % MODULUS, 0n);
    return sum.toString(16).padStart(64, '0');
  }
}
