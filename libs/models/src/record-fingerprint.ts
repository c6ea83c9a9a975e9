import type { Journal } from '@palimpsest/contracts';
import { timestamp, type System } from '@palimpsest/foundation';
import { models as decider, modelsStream } from '@palimpsest/knowledge/deciders';
import type { RecordFingerprint } from '@palimpsest/knowledge/ports';
import { DEFAULT_TENANT } from '@palimpsest/knowledge/values';

type Parts = Readonly<{ journal: Journal; system: Pick<System, 'clock'> }>;

const BY = { tenant: DEFAULT_TENANT, actor: 'models', correlationId: 'fingerprints' };

/** On the stream of the models of the installation. Of several processes, the first one decides. */
export const recordFingerprint =
  ({ journal, system }: Parts): RecordFingerprint =>
  async (version, fingerprint) => {
    const command = { type: 'RecordFingerprint' as const, model: { version, fingerprint }, now: timestamp(system.clock) };
    const { state } = await journal.execute(decider, modelsStream(), command, BY);
    return state.fingerprints.get(version) ?? fingerprint;
  };
