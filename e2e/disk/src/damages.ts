import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import type { SeededRandom } from '@palimpsest/e2e-support/seeded-random';

/** A damage to a file of `size` bytes while no process runs. */
export type Damage = Readonly<{ how: string; harm: (path: string, size: number) => void }>;

export const flip = (path: string, at: number): void => {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0x15, at);
  writeFileSync(path, bytes);
};

const zero = (path: string, from: number, length: number): void => {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0, from, Math.min(from + length, bytes.length)));
};

/** Flipped bytes in each region of a file and at random places; a page of zeros; a missing last byte, second half or whole content. */
export const damages = (random: SeededRandom, places = 3): readonly Damage[] => [
  { how: 'a byte of the header flipped', harm: (path) => flip(path, 5) },
  { how: 'a byte in the middle flipped', harm: (path, size) => flip(path, size >> 1) },
  { how: 'a byte at the end flipped', harm: (path, size) => flip(path, size - 9) },
  ...Array.from({ length: places }, (_, i) => {
    const where = random.next();
    return {
      how: `a byte at ${(where * 100).toFixed(1)} % flipped (place ${i + 1})`,
      harm: (path: string, size: number) => flip(path, Math.floor(where * size)),
    };
  }),
  { how: 'a page of zeros in its middle', harm: (path, size) => zero(path, (size >> 1) & ~0xfff, 4096) },
  { how: 'its last byte missing', harm: (path, size) => truncateSync(path, size - 1) },
  { how: 'its second half missing', harm: (path, size) => truncateSync(path, size >> 1) },
  { how: 'no content', harm: (path) => truncateSync(path, 0) },
];
