import { indexCipher } from '@palimpsest/contracts';
import { Corrupt } from '@palimpsest/knowledge/errors';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import type { ChunkId } from '@palimpsest/knowledge/values';

/** What a token stands for. Tokens of equal content differ between these. */
export type TokenKind = 'attribute' | 'word';

/**
 * What is done to everything that was taken from a document before the server gets it, with keys that are derived from the key of the
 * scope. What the server has to compare becomes a token: equal content gives equal tokens within the scope, and without the key no one can
 * confirm a guess. What it only returns is sealed. For one call: tokens are remembered, since the chunks of a document have most of
 * them in common.
 */
export type PartitionSeal = Readonly<{
  /** 128 bits, 22 characters. */
  token: (kind: TokenKind, content: string) => string;
  /** The same as a number of 32 bits, for the place of a word in a sparse vector. */
  number: (kind: TokenKind, content: string) => number;
  /** Base64. Bound to the field, the chunk and its partition. */
  seal: (field: string, chunkId: ChunkId, plain: Uint8Array) => string;
  /** Nothing if it was not sealed for this place: then another program has written it. */
  open: (field: string, chunkId: ChunkId, sealed: unknown) => Buffer | undefined;
}>;

/** @throws ScopeKeyDestroyed; Unavailable when the key cannot be read */
export const partitionSeal = async (
  keys: Pick<ScopeKeys, 'cipher'>,
  { scope: { tenant, scope }, generation }: IndexPartition,
): Promise<PartitionSeal> => {
  const cipher = await indexCipher(keys, { tenant, scope });
  const sealer = cipher.derived('points of shared indexes');
  const digestOf = (kind: TokenKind, content: string): string => cipher.digest(content, `shared indexes: ${kind}`);
  const place = (field: string, chunkId: ChunkId): string => JSON.stringify([field, generation, chunkId]);
  return {
    token: remembered((kind, content) => Buffer.from(digestOf(kind, content).slice(0, 32), 'hex').toString('base64url')),
    number: remembered((kind, content) => Number.parseInt(digestOf(kind, content).slice(0, 8), 16)),
    seal: (field, chunkId, plain) => Buffer.from(sealer.seal(plain, place(field, chunkId))).toString('base64'),
    open: (field, chunkId, sealed) => {
      if (typeof sealed !== 'string') return undefined;
      try {
        return Buffer.from(sealer.open(Buffer.from(sealed, 'base64'), place(field, chunkId)));
      } catch (error) {
        if (error instanceof Corrupt) return undefined;
        throw error;
      }
    },
  };
};

const remembered = <T>(compute: (kind: TokenKind, content: string) => T): ((kind: TokenKind, content: string) => T) => {
  const known = new Map<string, T>();
  return (kind, content) => {
    const name = `${kind} ${content}`;
    const found = known.get(name) ?? compute(kind, content);
    known.set(name, found);
    return found;
  };
};
