import { Corrupt, Unavailable } from '@palimpsest/knowledge/errors';
import type { ScopeCipher, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import type { TenantScope } from '@palimpsest/knowledge/values';

/** By how many bytes sealed bytes are longer. */
export const SEALED_EXTRA = 29;

/**
 * Seals the parts of one index file. `at`: the place of a part in its file. What was moved, or copied from another file, does not open.
 * Nonces are random, which is secure for 2^32 parts with one key: all files of a scope together, for as long as the scope exists.
 */
export type FileSeal = Readonly<{
  seal(plain: Uint8Array, at: number): Uint8Array;
  /** Returns new memory that starts at a multiple of eight. @throws Corrupt */
  open(sealed: Uint8Array, at: number): Uint8Array;
}>;

/** The cipher of a scope, for an index. @throws ScopeKeyDestroyed; Unavailable when the key cannot be read: that is no damage of the index */
export const indexCipher = (keys: Pick<ScopeKeys, 'cipher'>, scope: TenantScope): Promise<ScopeCipher> =>
  keys.cipher(scope).catch((cause: unknown) => {
    throw cause instanceof Corrupt ? new Unavailable(cause.message, { cause }) : cause;
  });

/**
 * The key is derived from the key of the scope. `kind`: of the file, with the version of its format. `id`: random, stored in the file.
 * @throws ScopeKeyDestroyed; Unavailable when the key cannot be read: that is no damage of the file
 */
export const fileSeal = async (
  keys: Pick<ScopeKeys, 'cipher'>,
  { scope, generation }: IndexPartition,
  kind: string,
  id: string,
): Promise<FileSeal> => {
  const sealer = (await indexCipher(keys, scope)).derived('index files');
  const place = (at: number): string => JSON.stringify([kind, generation, id, at]);
  return { seal: (plain, at) => sealer.seal(plain, place(at)), open: (sealed, at) => sealer.open(sealed, place(at)) };
};
