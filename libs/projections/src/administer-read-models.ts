import { rebuildReadModels, verifyReadModels } from '@palimpsest/contracts/routes/operation';
import { command, NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { RebuildReadModels, Rebuilt } from './rebuild-read-models.ts';
import type { Verification, VerifyReadModels } from './verify-read-models.ts';

/** Replaces the read models of this process by new ones, made from the log. */
export class Rebuild extends command<void, Rebuilt>(rebuildReadModels) {}
/** Compares the read models of this process with the log. Only operators see the result, which covers all tenants. */
export class Verify extends query<void, Verification>(verifyReadModels, NO_ROWS) {}

export const administerReadModels = (rebuild: RebuildReadModels, verify: VerifyReadModels): UseCase => ({
  handlers: [on(Rebuild, () => rebuild.run()), on(Verify, () => verify.run())],
});
