import type { BlobStore, Checkpoints, EventLog, MessageBus, PartitionLeases } from '@palimpsest/knowledge/ports';
import type { ReadModelRunner } from '@palimpsest/projections';
import type { Life } from '../kernel/world.ts';
import type { DiskPorts } from '../nodes/local-stores.ts';

/** Where a planted bug can be put in: between a process and each of its ports. */
export type Seams = Readonly<{
  log: (log: EventLog, life: Life) => EventLog;
  bus: (bus: MessageBus, life: Life) => MessageBus;
  leases: (leases: PartitionLeases, life: Life) => PartitionLeases;
  /** Of the relay. */
  checkpoints: (checkpoints: Checkpoints, life: Life) => Checkpoints;
  blobs: (blobs: BlobStore, life: Life) => BlobStore;
  stores: (stores: DiskPorts, life: Life) => DiskPorts;
  readModels: (runner: ReadModelRunner, life: Life) => ReadModelRunner;
}>;

const same = <T>(port: T): T => port;

export const NO_MUTANT: Seams = {
  log: same,
  bus: same,
  leases: same,
  checkpoints: same,
  blobs: same,
  stores: same,
  readModels: same,
};
