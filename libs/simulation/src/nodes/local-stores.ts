import type { Checkpoints } from '@palimpsest/knowledge/ports';
import type { Catalog, LexicalIndex, VectorIndex } from '@palimpsest/knowledge/read-models';
import type { Life } from '../kernel/world.ts';
import type { Network } from '../servers/network.ts';
import type { NodeDisk } from './node-disk.ts';

const WRITES = ['apply', 'flush', 'reset', 'drop', 'dropAll', 'set'] as const;

/** A store on a local disk: writes take time and can fail, or not happen because the process has ended. Reads are immediate. */
const onDisk = <Store extends object>(store: Store, name: string, network: Network, life: Life, done?: (method: string) => void): Store =>
  new Proxy(store, {
    get: (target, property) => {
      const found: unknown = Reflect.get(target, property, target);
      if (typeof found !== 'function') return found;
      const method = found.bind(target) as (...args: unknown[]) => Promise<unknown>;
      const isWrite = (WRITES as readonly (string | symbol)[]).includes(property);
      if (!isWrite) return method;
      return (...args: unknown[]) =>
        network.write(life, `${name}.${String(property)}${upToOf(args)}`, async () => {
          const result = await method(...args);
          done?.(String(property));
          return result;
        });
    },
  });

const upToOf = (args: readonly unknown[]): string => {
  const position = args.find((arg) => typeof arg === 'bigint');
  return position === undefined ? '' : ` ${position}`;
};

export type DiskPorts = Readonly<{ catalog: Catalog; vectors: VectorIndex; lexical: LexicalIndex; checkpoints: Checkpoints }>;

/** The stores of a process on its disk, for one of its lives. */
export const localStores = (disk: NodeDisk, network: Network, life: Life): DiskPorts => {
  const { catalog, vectors, lexical, checkpoints } = disk.stores;
  const noteCatalog = (method: string): void => {
    if (method === 'apply') disk.committed();
    else disk.emptied();
  };
  return {
    catalog: onDisk(catalog, 'catalog', network, life, noteCatalog),
    vectors: onDisk(vectors, 'vectors', network, life),
    lexical: onDisk(lexical, 'lexical', network, life),
    checkpoints: onDisk(checkpoints, 'checkpoints', network, life),
  };
};
