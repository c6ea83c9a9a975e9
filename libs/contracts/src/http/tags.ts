/** Sections of the API reference, in order. */
export const TAGS = {
  Documents: 'Submit, replace, read and delete documents.',
  Search: 'Find passages, and assemble them into a prompt.',
  'Knowledge bases': 'Collections of documents, with their scope and chunking.',
  Events: 'The event log, the source of truth of the platform.',
  'API keys': 'Keys, with the roles and scopes that they grant.',
  Audit: 'The audit trail: who did what, when and from where.',
  Tenants: 'Limits and usage of tenants.',
  Models: 'The embedding models of the installation.',
  Fleets: 'Move many scopes to another model, in waves.',
  'Golden queries': 'Queries with judged documents, which decide whether a change of a scope is a loss.',
  Operation: 'Run an installation, and move scopes between installations.',
} as const;

export type Tag = keyof typeof TAGS;
