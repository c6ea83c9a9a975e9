import { endianness } from 'node:os';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { embeddingVersionParts } from '@palimpsest/knowledge/values';
import type { ChunkText } from '@palimpsest/knowledge/events';
import type { BlobKey, ScopeCipher } from '@palimpsest/knowledge/ports';
import type { ChunkId, EmbeddingVersion } from '@palimpsest/knowledge/values';

/**
 * Seals texts and vectors for events, and uploads for blobs. The context contains the chunk id (and model), and the cipher adds tenant
 * and scope, so sealed bytes cannot be opened in another place.
 */
const textContext = (chunkId: ChunkId): string => `chunk-text/${chunkId}`;
const vectorContext = (chunkId: ChunkId, version: EmbeddingVersion): string => `chunk-vector/${chunkId}/${version}`;
const furtherContext = (chunkId: ChunkId, version: EmbeddingVersion): string => `chunk-further-vectors/${chunkId}/${version}`;
const blobContext = (key: BlobKey): string => `blob/${key}`;

/** Returns bytes; events store them as Base64. */
export const sealText = (cipher: ScopeCipher, chunkId: ChunkId, text: ChunkText): Uint8Array =>
  cipher.seal(Buffer.from(JSON.stringify(text)), textContext(chunkId));

/** @throws Corrupt */
export const openText = (cipher: ScopeCipher, chunkId: ChunkId, sealed: Uint8Array): ChunkText =>
  JSON.parse(Buffer.from(cipher.open(sealed, textContext(chunkId))).toString()) as ChunkText;

/** Converts float32 bytes between the byte order of this machine and little-endian, in place. */
const swapped = (bytes: Buffer): Buffer => (endianness() === 'LE' ? bytes : bytes.swap32());

/** Float32 in little-endian byte order. */
export const littleEndianBytes = (vector: Float32Array): Buffer => swapped(Buffer.from(new Float32Array(vector).buffer));

/** `vector` as little-endian float32. */
export const sealVector = (cipher: ScopeCipher, chunkId: ChunkId, version: EmbeddingVersion, vector: Float32Array): Uint8Array =>
  cipher.seal(littleEndianBytes(vector), vectorContext(chunkId, version));

/** Seals the vectors of the other windows of a chunk, concatenated. */
export const sealFurtherVectors = (
  cipher: ScopeCipher,
  chunkId: ChunkId,
  version: EmbeddingVersion,
  vectors: readonly Float32Array[],
): Uint8Array => cipher.seal(Buffer.concat(vectors.map(littleEndianBytes)), furtherContext(chunkId, version));

/** @throws Corrupt */
export const openVector = (cipher: ScopeCipher, chunkId: ChunkId, version: EmbeddingVersion, sealed: Uint8Array): Float32Array => {
  const bytes = cipher.open(sealed, vectorContext(chunkId, version));
  if (bytes.length % 4 !== 0) throw new Corrupt(`the vector of chunk ${chunkId} has ${bytes.length} bytes`);
  return fromLittleEndian(bytes);
};

/** @throws Corrupt */
export const openFurtherVectors = (
  cipher: ScopeCipher,
  chunkId: ChunkId,
  version: EmbeddingVersion,
  sealed: Uint8Array,
): readonly Float32Array[] => {
  const bytes = cipher.open(sealed, furtherContext(chunkId, version));
  const { dimensions } = embeddingVersionParts(version);
  if (bytes.length === 0 || bytes.length % (4 * dimensions) !== 0)
    throw new Corrupt(`the further vectors of chunk ${chunkId} have ${bytes.length} bytes`);
  const all = fromLittleEndian(bytes);
  return Array.from({ length: all.length / dimensions }, (_, i) => all.slice(i * dimensions, (i + 1) * dimensions));
};

/** The numbers of little-endian float32 bytes, whose length is a multiple of 4. */
export const fromLittleEndian = (bytes: Uint8Array): Float32Array => {
  // Copies the bytes: the memory of opened bytes may not be aligned for a Float32Array.
  const vector = new Float32Array(bytes.length / 4);
  const target = Buffer.from(vector.buffer);
  target.set(bytes);
  swapped(target);
  return vector;
};

export const sealBlob = (cipher: ScopeCipher, key: BlobKey, bytes: Uint8Array): Uint8Array => cipher.seal(bytes, blobContext(key));
/** @throws Corrupt */
export const openBlob = (cipher: ScopeCipher, key: BlobKey, sealed: Uint8Array): Uint8Array => cipher.open(sealed, blobContext(key));

export const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
export const fromBase64 = (text: string): Uint8Array => Buffer.from(text, 'base64');

/** The searchable text of a chunk: its context prefix, then its text. */
export const searchText = ({ contextPrefix, text }: ChunkText): string => (contextPrefix === '' ? text : `${contextPrefix}\n${text}`);
