import { z } from 'zod';
import { list, view } from '../view.ts';

export const callerView = view(
  'CallerView',
  {
    tenant: z.string(),
    teams: list(z.string()).describe('The key may read the `team:<id>` scopes of these teams. `*` means every team.'),
    user: z.string().describe('The key may read the `user:<id>` scope of this user.').exactOptional(),
    roles: list(z.string()),
  },
  'The identity of an API key: its tenant, teams, user and roles.',
);
export type CallerView = z.infer<typeof callerView>;
