import type { Checkpoints } from '@palimpsest/knowledge/ports';
import type { Catalog, LexicalIndex, VectorIndex } from '@palimpsest/knowledge/read-models';
import { Exchangeable, type SetAlongside } from '@palimpsest/projections';
import type { Life } from '../kernel/world.ts';
import type { Network } from '../servers/network.ts';
import { StoreSet, type NodeDisk } from './node-disk.ts';

const WRITES = ['apply', 'flush', 'reset', 'drop', 'set'] as const;

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

/** `alongside`: for rebuilds. */
export type LocalStores = DiskPorts & Readonly<{ alongside: () => Promise<SetAlongside> }>;

/** The stores of a process on its disk, for one of its lives. `between`: a planted bug. */
export const localStores = (disk: NodeDisk, network: Network, life: Life, between: (stores: DiskPorts) => DiskPorts): LocalStores => {
  const checkpoints = onDisk(disk.checkpoints, 'checkpoints', network, life);
  const portsOf = (set: StoreSet): DiskPorts => {
    const noteCatalog = (method: string): void => {
      if (method === 'apply') set.committed();
      else set.emptied();
    };
    return between({
      catalog: onDisk(set.catalog, 'catalog', network, life, noteCatalog),
      vectors: onDisk(set.vectors, 'vectors', network, life),
      lexical: onDisk(set.lexical, 'lexical', network, life),
      checkpoints,
    });
  };
  const first = portsOf(disk.current);
  const [catalog, vectors, lexical] = [new Exchangeable(first.catalog), new Exchangeable(first.vectors), new Exchangeable(first.lexical)];
  const alongside = async (): Promise<SetAlongside> => {
    const set = new StoreSet();
    const ports = portsOf(set);
    const exchange = async (): Promise<void> => {
      await network.write(life, 'read models exchange', async () => void (disk.current = set));
      void Promise.all([catalog.exchange(ports.catalog), vectors.exchange(ports.vectors), lexical.exchange(ports.lexical)]);
    };
    return { ...ports, exchange, discard: async () => undefined };
  };
  return { catalog: catalog.port, vectors: vectors.port, lexical: lexical.port, checkpoints: first.checkpoints, alongside };
};
