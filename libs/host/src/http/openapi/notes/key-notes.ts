import type { OperationNotes } from './operation-note.ts';

export const KEY_NOTES: OperationNotes = {
  'POST /v1/api-keys': {
    answer: 'ApiKeyCreated',
    role: 'admin',
    description: 'An admin creates keys for its own tenant, an operator for any tenant. The secret is shown only once; the platform stores its SHA-256 only. Teams and user determine which scopes the key can access; roles determine what it may do there.',
    example: { body: { 'application/json': { name: 'search of the intranet', teams: ['people'], roles: ['reader'] } } },
  },
  'GET /v1/api-keys': { answer: 'ApiKeyList', role: 'admin', description: 'Returns the keys of the caller’s own tenant, also for an operator.' },
  'DELETE /v1/api-keys/{keyId}': {
    answer: 'nothing',
    role: 'admin',
    description: 'Requests in progress are completed; live streams are ended.',
    example: { parameters: { keyId: '2f1c6c8e-6f0b-4d0e-9a55-1f3f0c6f7a10' } },
  },
  'GET /v1/me': { answer: 'CallerView', description: 'Returns the tenant, teams, user and roles of the key. A program can use it to offer only actions that are allowed.' },
};
