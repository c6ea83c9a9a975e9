import { cipherIfAny } from '@palimpsest/contracts';
import { Corrupt } from '@palimpsest/knowledge/errors';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import { DEFAULT_TENANT, vectorScope } from '@palimpsest/knowledge/values';

/** The key of this scope is created at the first start of an installation, and opened at every later one. */
const PROBE = { tenant: DEFAULT_TENANT, scope: vectorScope('platform') };

/** @throws WrongMasterKey if the installation has another master key; Corrupt */
export const verifyMasterKey = async (keys: ScopeKeys): Promise<void> => {
  if ((await cipherIfAny(keys, PROBE)) !== undefined) return;
  // That scope was erased: then all other keys are opened.
  const [problem] = (await keys.check?.()) ?? [];
  if (problem !== undefined) throw new Corrupt(problem);
};
