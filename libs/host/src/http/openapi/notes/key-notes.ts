import type { OperationNotes } from './operation-note.ts';

export const KEY_NOTES: OperationNotes = {
  'POST /v1/api-keys': {
    answer: 'ApiKeyCreated',
    role: 'admin',
    description: 'An admin issues keys of its own tenant, an operator those of any. Only the SHA-256 of the text is kept. Teams and the user open scopes; roles say what may be done in them.',
    example: { body: { 'application/json': { name: 'search of the intranet', teams: ['people'], roles: ['reader'] } } },
  },
  'GET /v1/api-keys': { answer: 'ApiKeyList', role: 'admin', description: 'Also of an operator only the keys of its own tenant.' },
  'DELETE /v1/api-keys/{keyId}': {
    answer: 'nothing',
    role: 'admin',
    description: 'Requests that are under way are finished, live streams are ended.',
    example: { parameters: { keyId: '2f1c6c8e-6f0b-4d0e-9a55-1f3f0c6f7a10' } },
  },
  'GET /v1/me': { answer: 'CallerView', description: 'What a program has to know to offer only what will be allowed.' },
};
