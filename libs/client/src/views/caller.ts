/** What an API key stands for. */
export type CallerView = Readonly<{
  tenant: string;
  /** Whose `team:<id>` scopes are open; `*` stands for every team. */
  teams: readonly string[];
  /** Whose `user:<id>` scope is open. */
  user?: string;
  roles: readonly string[];
}>;
