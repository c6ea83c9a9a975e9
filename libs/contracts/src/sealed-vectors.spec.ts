import { Corrupt } from '@palimpsest/knowledge/errors';
import { chunkId, embeddingVersion } from '@palimpsest/knowledge/values';
import { aCipher } from '../test/a-cipher.ts';
import { openVectors, sealVectors } from './sealed-vectors.ts';

const id = chunkId('a'.repeat(32));
const other = chunkId('b'.repeat(32));
const TWO = embeddingVersion('fake:m/2');
const cipher = aCipher();
const vectors = { vector: Float32Array.of(1, 0), further: [Float32Array.of(0, 1), Float32Array.of(0, -1)] };

describe('The sealed vectors of a chunk', () => {
  it('are the same after opening, one or several', () => {
    expect(openVectors(cipher, id, TWO, sealVectors(cipher, id, TWO, vectors))).toEqual(vectors);
    const { vector } = vectors;
    const sealed = sealVectors(cipher, id, TWO, { vector });
    expect(Object.keys(sealed)).toEqual(['sealedVector']);
    expect(openVectors(cipher, id, TWO, sealed)).toEqual({ vector });
  });

  it('do not open for another chunk or model, or as another kind of vector', () => {
    const sealed = sealVectors(cipher, id, TWO, vectors);
    expect(() => openVectors(cipher, other, TWO, sealed)).toThrow(Corrupt);
    expect(() => openVectors(cipher, id, embeddingVersion('fake:n/2'), sealed)).toThrow(Corrupt);
    expect(() => openVectors(cipher, id, TWO, { ...sealed, sealedFurtherVectors: sealed.sealedVector })).toThrow(Corrupt);
  });
});
