import fc from 'fast-check';
import { leafHash, pathOf, rootFromPath, rootOf } from './merkle-tree.ts';

const leaves = fc.array(fc.uint8Array({ maxLength: 8 }), { minLength: 1, maxLength: 40 });
const leavesOf = (...texts: readonly string[]) => texts.map((hex) => Buffer.from(hex, 'hex'));
/** The test vectors of Certificate Transparency for this tree (github.com/google/certificate-transparency, merkletree tests). */
const VECTORS = leavesOf('', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f');
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

describe('The Merkle tree', () => {
  it.each(ROOTS.map((root, index) => [index + 1, root]))('of %i leaves has the root of the published test vectors', (size, root) =>
    expect(rootOf(VECTORS.slice(0, Number(size))).toString('hex')).toBe(root),
  );

  it('proves each leaf, and no other one', () => {
    fc.assert(
      fc.property(leaves, fc.nat(), fc.uint8Array({ maxLength: 8 }), (all, n, other) => {
        const index = n % all.length;
        const path = pathOf(all, index);
        const reached = (leaf: Uint8Array, at = index, size = all.length, by = path) => rootFromPath(leaf, at, size, by)?.toString('hex');
        const root = rootOf(all).toString('hex');
        expect(reached(all[index] as Uint8Array)).toBe(root);
        expect(reached(other) === root).toBe(Buffer.from(other).equals(all[index] as Uint8Array));
        expect(reached(all[index] as Uint8Array, index, all.length, [...path, leafHash(other)])).not.toBe(root);
        expect(reached(all[index] as Uint8Array, all.length)).toBeUndefined();
      }),
    );
  });
});
