import { fromBase64, openText, openVectors, type SealedVectors } from '@palimpsest/contracts';
import { authorise, hasRole } from '@palimpsest/knowledge';
import type { Access, ChunkId, DomainEvent, EmbeddingVersion, ScopeCipher } from '@palimpsest/knowledge';

export type OpenedData = Readonly<Record<string, unknown>>;

/** An event's data for those who may read it: texts unsealed, vectors told by their size, no hash of a key. @throws Corrupt */
export const openedData = (access: Access, event: DomainEvent, cipher: ScopeCipher | undefined): OpenedData => {
  switch (event.type) {
    case 'KnowledgeChunkIndexed': {
      const { sealedText, sealedVector, sealedFurtherVectors, ...data } = event.data;
      const text = cipher && openText(cipher, data.chunkId, fromBase64(sealedText));
      return { ...data, text, ...vectorsIn(cipher, event.data) };
    }
    case 'KnowledgeChunkReembedded': {
      const { sealedVector, sealedFurtherVectors, ...data } = event.data;
      return { ...data, ...vectorsIn(cipher, event.data) };
    }
    case 'ApiKeyIssued': {
      const { hash: _hash, ...data } = event.data;
      return data;
    }
    case 'KnowledgeRetrieved':
    case 'KnowledgeRetrievalMiss': {
      const { stages, latencyMs, ...data } = event.data;
      // A search may have asked for scopes that are closed to the caller who looks at it now. Times are for operators, as in the answer.
      const times = hasRole(access, 'operator') ? { stages, latencyMs } : {};
      return { ...data, ...times, requestedScopes: authorise(access, data.requestedScopes).map(({ scope }) => scope) };
    }
    default:
      return event.data;
  }
};

/** `norm`: the Euclidean length, to six digits. `furtherVectors`: how many there are, where one was not enough for the text. */
const vectorsIn = (cipher: ScopeCipher | undefined, data: SealedVectors & Readonly<{ chunkId: ChunkId; embeddingVersion: EmbeddingVersion }>) => {
  if (!cipher) return { vector: undefined };
  const { vector, further = [] } = openVectors(cipher, data.chunkId, data.embeddingVersion, data);
  const squares = vector.reduce((sum, value) => sum + value * value, 0);
  return {
    vector: { dimensions: vector.length, norm: Number(Math.sqrt(squares).toPrecision(6)) },
    ...(further.length === 0 ? {} : { furtherVectors: further.length }),
  };
};
