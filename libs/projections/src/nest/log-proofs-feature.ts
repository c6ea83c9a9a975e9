import type { Journal } from '@palimpsest/contracts';
import { pause, type System } from '@palimpsest/foundation';
import type { LeaseMembership, PartitionLeases, Signer } from '@palimpsest/knowledge/ports';
import { LogCheckpoints } from '@palimpsest/proofs';
import { feature, type OnFault, type Task } from '@palimpsest/runtime';
import { checkingLog } from '../checkpoints/verify-log.ts';
import { LogProofsController } from './log-proofs-controller.ts';

type LogProofPorts = Readonly<{
  journal: Journal;
  signer: Signer;
  leases: PartitionLeases;
  settings: Readonly<{ checkpointMs: number }>;
  onFault: OnFault;
  system: System;
}>;

/** Signs checkpoints of the log, and compares the log with them. */
export const logProofs = feature('log-proofs', (ports: LogProofPorts) => ({
  followers: [signing(ports)],
  useCases: [checkingLog(ports)],
  routes: [LogProofsController],
}));

/** Of all processes, one signs. */
const signing = (ports: LogProofPorts): Task => {
  const { settings, leases, onFault, system } = ports;
  const checkpoints = new LogCheckpoints(ports);
  let membership: LeaseMembership | undefined;
  const sign = async (_: number, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await pause(settings.checkpointMs, signal, system.scheduler);
      if (!signal.aborted) await checkpoints.sign(signal).catch((error: unknown) => onFault(error, 'signing a checkpoint of the log'));
    }
  };
  return {
    start: async () => void (membership = await leases.join('log-checkpoints', 1, sign)),
    stop: async () => membership?.leave(),
  };
};
