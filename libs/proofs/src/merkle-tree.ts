import { sha256 } from './digests.ts';

/**
 * The Merkle tree of RFC 9162, section 2.1 (https://www.rfc-editor.org/rfc/rfc9162#section-2.1), with SHA-256. Leaves and inner nodes have
 * different prefixes, so that no inner node can be shown as a leaf. All hashes have 32 bytes.
 */
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export const leafHash = (leaf: Uint8Array): Buffer => sha256(Buffer.concat([LEAF, leaf]));
const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(Buffer.concat([NODE, left, right]));

/** Of at least one leaf. */
export const rootOf = (leaves: readonly Uint8Array[]): Buffer => {
  const tree = new GrowingTree();
  for (const leaf of leaves) tree.add(leaf);
  const root = tree.root();
  if (root === undefined) throw new RangeError('a tree has at least one leaf');
  return root;
};

/** The hashes from a leaf up to the root that prove that the leaf belongs to the tree. @throws RangeError */
export const pathOf = (leaves: readonly Uint8Array[], index: number): readonly Buffer[] => {
  if (!Number.isInteger(index) || index < 0 || index >= leaves.length) throw new RangeError(`the tree has no leaf ${index}`);
  if (leaves.length === 1) return [];
  const split = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return index < split ? [...pathOf(left, index), rootOf(right)] : [...pathOf(right, index - split), rootOf(left)];
};

/** The root of the tree of `size` leaves to which the path leads; undefined if the path is not one of such a tree. */
export const rootFromPath = (leaf: Uint8Array, index: number, size: number, path: readonly Uint8Array[]): Buffer | undefined => {
  if (!Number.isInteger(index) || !Number.isInteger(size) || index < 0 || index >= size) return undefined;
  if (size === 1) return path.length === 0 ? leafHash(leaf) : undefined;
  const [last] = path.slice(-1);
  if (last === undefined) return undefined;
  const split = splitOf(size);
  const [below, isLeft] =
    index < split
      ? [rootFromPath(leaf, index, split, path.slice(0, -1)), true]
      : [rootFromPath(leaf, index - split, size - split, path.slice(0, -1)), false];
  if (below === undefined) return undefined;
  return isLeft ? nodeHash(below, last) : nodeHash(last, below);
};

/** The largest power of two below the number of leaves: the left part is always complete. */
const splitOf = (size: number): number => 2 ** Math.floor(Math.log2(size - 1));

/** The root of a tree whose leaves come one by one: keeps one hash for each complete part. */
export class GrowingTree {
  /** Complete parts, the largest first. */
  readonly #parts: { size: number; hash: Buffer }[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(leaf: Uint8Array): void {
    this.#size += 1;
    let part = { size: 1, hash: leafHash(leaf) };
    for (let last = this.#parts.at(-1); last?.size === part.size; last = this.#parts.at(-1)) {
      this.#parts.pop();
      part = { size: 2 * part.size, hash: nodeHash(last.hash, part.hash) };
    }
    this.#parts.push(part);
  }

  /** Undefined without a leaf. */
  root(): Buffer | undefined {
    return this.#parts.reduceRight<Buffer | undefined>(
      (right, { hash }) => (right === undefined ? hash : nodeHash(hash, right)),
      undefined,
    );
  }
}
