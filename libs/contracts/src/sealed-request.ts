import { Corrupt } from '@palimpsest/knowledge/errors';
import type { SealedRequest } from '@palimpsest/knowledge/events';
import type { ScopeCipher } from '@palimpsest/knowledge/ports';
import type { EmbeddingVersion } from '@palimpsest/knowledge/values';
import { fromBase64, fromLittleEndian, littleEndianBytes, toBase64 } from './sealing.ts';

/** Bound to the retrieval, so that it opens in no other record. */
const contextOf = (traceId: string): string => `retrieval-request/${traceId}`;

/** Base64. */
export const sealRequest = (cipher: ScopeCipher, traceId: string, request: SealedRequest): string =>
  toBase64(cipher.seal(Buffer.from(JSON.stringify(request)), contextOf(traceId)));

/** @throws Corrupt */
export const openRequest = (cipher: ScopeCipher, traceId: string, sealed: string): SealedRequest => {
  const text = Buffer.from(cipher.open(fromBase64(sealed), contextOf(traceId))).toString();
  try {
    return JSON.parse(text) as SealedRequest;
  } catch (error) {
    throw new Corrupt(`the sealed request of retrieval ${traceId} is not JSON`, { cause: error });
  }
};

/** The digest of a query's text that retrieval records contain. */
export const queryDigest = (cipher: ScopeCipher, query: string): string => cipher.digest(query, 'query');

/** The digest of the terms of a search that retrieval records contain. Lists that are missing and empty ones are the same. */
export const termsDigest = (
  cipher: ScopeCipher,
  { required = [], excluded = [], phrases = [] }: NonNullable<SealedRequest['terms']>,
): string => cipher.digest(JSON.stringify([required, excluded, phrases]), 'terms of a query');

/** @throws Corrupt if a vector is not a list of float32 values */
export const decodedVectors = ({ vectors = {} }: SealedRequest): ReadonlyMap<EmbeddingVersion, Float32Array> =>
  new Map(Object.entries(vectors).map(([version, bytes]) => [version as EmbeddingVersion, fromLittleEndian(fromBase64(bytes))]));

/** Query vectors by embedding version, as `SealedRequest` contains them. */
export const encodedVectors = (vectors: ReadonlyMap<EmbeddingVersion, Float32Array>): Record<EmbeddingVersion, string> =>
  Object.fromEntries([...vectors].map(([version, vector]) => [version, toBase64(littleEndianBytes(vector))]));
