import type { ScopeCipher } from '@palimpsest/knowledge/ports';
import type { VectorPut } from '@palimpsest/knowledge/read-models';
import type { ChunkId, EmbeddingVersion } from '@palimpsest/knowledge/values';
import { fromBase64, openFurtherVectors, openVector, sealFurtherVectors, sealVector, toBase64 } from './sealing.ts';

/** All vectors of a chunk from one model: a single vector, or one for each window of its text. */
export type ChunkVectors = Pick<VectorPut, 'vector' | 'further'>;

/** The same vectors as stored in events (Base64). */
export type SealedVectors = Readonly<{ sealedVector: string; sealedFurtherVectors?: string }>;

export const sealVectors = (
  cipher: ScopeCipher,
  chunkId: ChunkId,
  version: EmbeddingVersion,
  { vector, further = [] }: ChunkVectors,
): SealedVectors => ({
  sealedVector: toBase64(sealVector(cipher, chunkId, version, vector)),
  ...(further.length === 0 ? {} : { sealedFurtherVectors: toBase64(sealFurtherVectors(cipher, chunkId, version, further)) }),
});

/** @throws Corrupt */
export const openVectors = (
  cipher: ScopeCipher,
  chunkId: ChunkId,
  version: EmbeddingVersion,
  { sealedVector, sealedFurtherVectors }: SealedVectors,
): ChunkVectors => ({
  vector: openVector(cipher, chunkId, version, fromBase64(sealedVector)),
  ...(sealedFurtherVectors === undefined
    ? {}
    : { further: openFurtherVectors(cipher, chunkId, version, fromBase64(sealedFurtherVectors)) }),
});
