import { pause, type System } from '@palimpsest/foundation';
import type { LeaseMembership, PartitionLeases } from '@palimpsest/knowledge/ports';
import { feature, type OnFault, type Task } from '@palimpsest/runtime';
import type { ReadModelRunner } from '../read-model-runner.ts';
import type { SharedIndexWriter } from '../shared-index-writer.ts';

/**
 * Indexes that several processes share, in `shares` shares. `format`: of what they write. Processes of a version with another format have
 * shares of their own, so that during an upgrade neither waits for what the other does not write.
 */
export type SharedWriting = Readonly<{ writer: SharedIndexWriter; shares: number; format: number }>;

export type ReadModelPorts = Readonly<{
  readModels: ReadModelRunner;
  leases: PartitionLeases;
  sharedIndexes?: SharedWriting;
  onFault: OnFault;
  system: System;
}>;

const CHECK_EVERY_MS = 2_000;

/** Keeps the read models up to date, and holds leases on shared indexes. */
export const readModels = feature('read-models', ({ readModels: runner, leases, sharedIndexes, onFault, system }: ReadModelPorts) => ({
  followers: [runner, ...(sharedIndexes ? [holdingShares(sharedIndexes, { runner, leases, onFault, system })] : [])],
  routes: [],
}));

const holdingShares = (
  { writer, shares, format }: SharedWriting,
  { runner, leases, onFault, system }: Readonly<{ runner: ReadModelRunner; leases: PartitionLeases; onFault: OnFault; system: System }>,
): Task => {
  let membership: LeaseMembership | undefined;
  const hold = async (share: number, signal: AbortSignal): Promise<void> => {
    writer.hold(share);
    try {
      while (!signal.aborted) {
        await pause(CHECK_EVERY_MS, signal, system.scheduler);
        if (!signal.aborted) await runner.checkShared();
      }
    } catch (error) {
      onFault(error, 'maintaining the shared indexes');
    } finally {
      writer.release(share);
    }
  };
  return {
    start: async () => void (membership = await leases.join(`shared-indexes-${format}`, shares, hold)),
    stop: async () => membership?.leave(),
  };
};
