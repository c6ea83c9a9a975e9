import { SEALED_EXTRA } from '@palimpsest/contracts';
import { Originals, type PartReader } from './originals.ts';
import { inParts } from './row-parts.ts';

const DIMENSIONS = 2_048;
/** Row `n` consists of this number. With 8,192 bytes a row, each part has one; with fewer dimensions, several. */
const rows = (first: number, count: number, dimensions: number): Float32Array =>
  Float32Array.from({ length: count * dimensions }, (_, i) => first + Math.floor(i / dimensions));
const bytesOf = (numbers: Float32Array): Uint8Array => new Uint8Array(numbers.buffer);
const firstNumber = (bytes: Uint8Array): number => new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0, true);

/** A file with these parts, one after the other as they are sealed, from byte 100 on. */
const fileWith = (parts: readonly Uint8Array[]) => {
  const places = new Map<number, Uint8Array>();
  let at = 100;
  for (const part of parts) {
    places.set(at, part);
    at += part.length + SEALED_EXTRA;
  }
  const reads: number[] = [];
  let opened = 0;
  const reader: PartReader = {
    read: async (place, length) => {
      reads.push(place);
      const part = places.get(place);
      if (part?.length !== length) throw new Error(`there is no part of ${length} bytes at ${place}`);
      return part;
    },
    close: async () => {},
  };
  return { reads, opened: () => opened, open: async () => (opened++, reader), end: at };
};

describe('the float32 values of a table', () => {
  it.each([64, DIMENSIONS])('are read from memory, or from the file after they left the memory: %i dimensions', async (dimensions) => {
    const originals = new Originals(dimensions);
    const first = inParts(bytesOf(rows(0, 50, dimensions)), 4 * dimensions);
    const second = inParts(bytesOf(rows(50, 7, dimensions)), 4 * dimensions);
    const file = fileWith([...first.parts, ...second.parts]);
    originals.add(first, 50, 100);
    originals.add(second, 7, 100 + first.parts.reduce((sum, part) => sum + part.length + SEALED_EXTRA, 0));
    const wanted = [56, 0, 49, 50, 31, 0];
    const found = async (from: Originals) => (await from.read(wanted, file.open)).map(firstNumber);
    expect([await found(originals), file.opened(), originals.bytes]).toEqual([wanted, 0, 57 * 4 * dimensions]);
    const copied = originals.copy();
    originals.evict();
    expect([await found(originals), originals.bytes]).toEqual([wanted, 0]);
    expect(new Set(file.reads).size).toBe(file.reads.length);
    expect([await found(copied), copied.bytes]).toEqual([wanted, 57 * 4 * dimensions]);
  });

  it('stay in the file once they left the memory, also those that are added later', async () => {
    const originals = new Originals(DIMENSIONS);
    const parts = inParts(bytesOf(rows(0, 3, DIMENSIONS)), 4 * DIMENSIONS);
    const file = fileWith(parts.parts);
    originals.evict();
    originals.add(parts, 3, 100);
    expect(originals.bytes).toBe(0);
    expect((await originals.read([2], file.open)).map(firstNumber)).toEqual([2]);
  });
});
