import { z } from 'zod';
import { wire } from '../../schemas/values.ts';
import { json, route } from '../route.ts';
import { erasureReceipt, scopeErasure } from '../views/proofs.ts';

const params = z.object({ scope: wire.scope });
const parameters = { scope: 'team:people' };
const action = { service: 'reembedding', tag: 'Operation', role: 'admin', administration: true, rate: 'writes', params } as const;

export const eraseScope = route({
  ...action,
  id: 'Erasure.erase',
  method: 'post',
  path: '/v1/scopes/{scope}/erasure',
  summary: 'Erase a scope: destroy its key, and remove everything that was derived from it. It cannot be undone',
  description:
    'Destroys the key under which everything of the scope is sealed, so that its documents, passages and vectors can no longer be read by anyone, on the log, in uploads, snapshots and exports. Responds when that is done (`erased`). Then read models, uploads, failed jobs and moments of the past are removed, and a receipt is signed (`completed`); that goes on automatically after a crash. The scope cannot be used again. `confirm` repeats the name of the scope. Erasing it twice changes nothing.',
  idempotent: true,
  body: json(z.strictObject({ confirm: z.string().describe('the name of the scope, again: it cannot be undone') })),
  status: 202,
  response: scopeErasure,
  problems: ['Conflict', 'NotFound', 'Unavailable'],
  example: { parameters, body: { 'application/json': { confirm: 'team:people' } } },
});

export const getErasure = route({
  id: 'Erasure.get',
  method: 'get',
  path: '/v1/scopes/{scope}/erasure',
  service: 'reembedding',
  tag: 'Operation',
  summary: 'How far the erasure of a scope is, and whether the scope is held',
  description: 'Returns the state `none` for a scope that is not being erased.',
  role: 'reader',
  params,
  status: 200,
  response: scopeErasure,
  problems: ['NotFound'],
  example: { parameters },
});

export const getErasureReceipt = route({
  id: 'Erasure.receipt',
  method: 'get',
  path: '/v1/scopes/{scope}/erasure/receipt',
  service: 'reembedding',
  tag: 'Operation',
  summary: 'The signed receipt of the erasure of a scope',
  description:
    'Says what became unreadable, what was removed and what is not covered, with the event of the erasure and the proof that it is on the signed log. It can be checked offline with `palimpsest receipt check`. Missing (404) until the erasure is complete.',
  role: 'reader',
  params,
  status: 200,
  response: erasureReceipt,
  problems: ['NotFound'],
  example: { parameters },
});

export const holdScope = route({
  ...action,
  id: 'Erasure.hold',
  method: 'put',
  path: '/v1/scopes/{scope}/hold',
  summary: 'Hold a scope: it must not be erased until it is released',
  description:
    'For example because of a lawsuit. The reason is sealed with the scope. Documents can still be added, changed and deleted; the log keeps them.',
  body: json(z.strictObject({ reason: z.string().trim().min(1).max(500).describe('why, for other administrators') })),
  status: 200,
  response: scopeErasure,
  problems: ['NotFound', 'ScopeKeyDestroyed'],
  example: { parameters, body: { 'application/json': { reason: 'case 17/2026' } } },
});

export const releaseScope = route({
  ...action,
  id: 'Erasure.release',
  method: 'delete',
  path: '/v1/scopes/{scope}/hold',
  summary: 'Release a scope that was held',
  description: 'Afterwards it can be erased again. A scope that is not held stays as it is.',
  status: 200,
  response: scopeErasure,
  problems: ['NotFound', 'ScopeKeyDestroyed'],
  example: { parameters },
});
