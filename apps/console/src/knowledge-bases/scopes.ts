import type { CallerView } from '@palimpsest/client';

/** The scopes that a key names, with their labels. `*` means every team and has no label. */
export const scopesFor = ({ teams, user }: Pick<CallerView, 'teams' | 'user'>): readonly Readonly<{ scope: string; name: string }>[] => [
  { scope: 'deployment', name: 'everyone in this tenant (deployment)' },
  ...teams.filter((team) => team !== '*').map((team) => ({ scope: `team:${team}`, name: `team ${team}` })),
  ...(user === undefined ? [] : [{ scope: `user:${user}`, name: `only ${user}` }]),
];
