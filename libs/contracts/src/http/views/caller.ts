import { z } from 'zod';
import { list, view } from '../view.ts';
import { requiredLabels } from './required-labels.ts';

export const callerView = view(
  'CallerView',
  {
    tenant: z.string(),
    teams: list(z.string()).describe('The key may read the `team:<id>` scopes of these teams. `*` means every team.'),
    user: z.string().describe('The key may read the `user:<id>` scope of this user.').exactOptional(),
    roles: list(z.string()),
    requiredLabels: requiredLabels.exactOptional(),
  },
  'The identity of an API key: its tenant, teams, user and roles, and the labels that it requires.',
);
export type CallerView = z.infer<typeof callerView>;
