/** The identity of an API key: its tenant, teams, user and roles. */
export type CallerView = Readonly<{
  tenant: string;
  /** The key may read the `team:<id>` scopes of these teams. `*` means every team. */
  teams: readonly string[];
  /** The key may read the `user:<id>` scope of this user. */
  user?: string;
  roles: readonly string[];
}>;
