import { z } from 'zod';
import { wire } from '../../schemas/values.ts';
import { json, route } from '../route.ts';
import { erasureReceipt, subjectErasure, subjectFound } from '../views/proofs.ts';

const params = z.object({ subject: wire.subjectKey });
const parameters = { subject: '5b0f8e2c4a7d49139c6e1f20a8b3d457' };
const action = { service: 'reembedding', tag: 'Operation', role: 'admin', administration: true, rate: 'writes' } as const;
const person = wire.subjectId.describe('the person, as in `subject` of the documents about them');

export const findSubject = route({
  ...action,
  id: 'SubjectErasure.find',
  method: 'post',
  path: '/v1/subjects/find',
  summary: 'How many documents there are about a person, in all scopes of the tenant',
  description:
    'Needs a key for all teams. Also counts documents that were deleted: the log keeps them until the person is erased. Counts only those that were added with this `subject`.',
  body: json(z.strictObject({ subject: person })),
  status: 200,
  response: subjectFound,
  example: { body: { 'application/json': { subject: 'ann@example.org' } } },
});

export const eraseSubject = route({
  ...action,
  id: 'SubjectErasure.erase',
  method: 'post',
  path: '/v1/subjects/erasure',
  summary: 'Erase a person: delete all documents about them, and destroy the key that sealed these. It cannot be undone',
  description:
    'Needs a key for all teams. Reaches all scopes of the tenant, also those of users, and versions that were replaced or deleted earlier. Responds when searches find nothing any more and nothing can be read by anyone, on the log, in uploads and exports (`erased`); `subject` in the response names the erasure. Then read models, uploads and failed jobs are removed, and a receipt is signed (`completed`); that goes on automatically after a crash. Refused (409) while one of these scopes is held. Documents that are added about the person later are sealed under another key. `confirm` repeats the name of the person.',
  body: json(z.strictObject({ subject: person, confirm: z.string().describe('the same again: it cannot be undone') })),
  status: 202,
  response: subjectErasure,
  problems: ['Conflict', 'NotFound', 'Unavailable'],
  example: { body: { 'application/json': { subject: 'ann@example.org', confirm: 'ann@example.org' } } },
});

export const getSubjectErasure = route({
  id: 'SubjectErasure.get',
  method: 'get',
  path: '/v1/subjects/{subject}/erasure',
  service: 'reembedding',
  tag: 'Operation',
  summary: 'How far the erasure of a person is',
  description: '`subject` is that of the response to the request. It says nothing about the person.',
  role: 'admin',
  params,
  status: 200,
  response: subjectErasure,
  problems: ['NotFound'],
  example: { parameters },
});

export const getSubjectErasureReceipt = route({
  id: 'SubjectErasure.receipt',
  method: 'get',
  path: '/v1/subjects/{subject}/erasure/receipt',
  service: 'reembedding',
  tag: 'Operation',
  summary: 'The signed receipt of the erasure of a person',
  description:
    'As that of a scope. It does not say who the person was, and nothing in it can confirm a guess. Missing (404) until the erasure is complete.',
  role: 'admin',
  params,
  status: 200,
  response: erasureReceipt,
  problems: ['NotFound'],
  example: { parameters },
});
