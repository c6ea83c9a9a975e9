import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import type { SeededRandom } from '../test-faults/seeded-random.ts';

/** Something that happens to a file of so many bytes while nobody looks. */
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

/** Each region of a file, some places by chance; then its end, half of it, all of it gone, and a page of zeros. */
export const damages = (random: SeededRandom, places = 3): readonly Damage[] => [
  { how: 'a byte of the header flipped', harm: (path) => flip(path, 5) },
  { how: 'a byte in the middle flipped', harm: (path, size) => flip(path, size >> 1) },
  { how: 'a byte at the end flipped', harm: (path, size) => flip(path, size - 9) },
  ...Array.from({ length: places }, (_, i) => {
    const where = random.next();
    return { how: `a byte at ${(where * 100).toFixed(1)} % flipped (place ${i + 1})`, harm: (path: string, size: number) => flip(path, Math.floor(where * size)) };
  }),
  { how: 'a page of zeros in its middle', harm: (path, size) => zero(path, (size >> 1) & ~0xfff, 4096) },
  { how: 'its last byte gone', harm: (path, size) => truncateSync(path, size - 1) },
  { how: 'its second half gone', harm: (path, size) => truncateSync(path, size >> 1) },
  { how: 'nothing left in it', harm: (path) => truncateSync(path, 0) },
];
