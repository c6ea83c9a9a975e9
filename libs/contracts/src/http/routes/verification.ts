import { z } from 'zod';
import { flag } from '../query-params.ts';
import { optionalJson, route } from '../route.ts';
import { someScopes } from '../some-scopes.ts';
import { repairResult, verificationHistory, verifyResult } from '../views/verification.ts';

const shared = { service: 'query', tag: 'Operation', role: 'operator', internal: true, status: 200 } as const;

export const verifyReadModels = route({
  ...shared,
  id: 'Admin.verify',
  method: 'post',
  path: '/v1/admin/verify',
  summary: 'Compare the read models with the log, chunk by chunk',
  description:
    'Responds when the comparison is complete; writes continue during it. A `fingerprint` is the same wherever the same events were projected. All stored data is read each time. Of the log, only what followed the previous verification of this process is projected, unless `full` is set.',
  administration: true,
  idempotent: true,
  query: z.strictObject({ full: flag('project the whole log again, instead of what followed the previous verification') }),
  response: verifyResult,
  problems: ['Unavailable'],
});

export const getVerifications = route({
  ...shared,
  id: 'Admin.verifications',
  method: 'get',
  path: '/v1/admin/verify',
  summary: 'List the last verifications and repairs',
  description:
    'Verifications are those of the process that responds, since its start. Repairs are on the log, so they are those of all processes.',
  response: verificationHistory,
});

export const repairReadModels = route({
  ...shared,
  id: 'Admin.repair',
  method: 'post',
  path: '/v1/admin/repair',
  summary: 'Verify the read models, and write what differs again from the log',
  description:
    'Responds when it is complete; it continues if the caller does not wait. Entries of the indexes that are missing or different are made again from the events of their documents, extra ones are removed, and rows of the catalog are replaced; nothing else is written, and no model is called. Searches go on. Afterwards everything is verified again. The repair is recorded on the log. Refused with 409 while a rebuild or another repair runs. Damage of the log, of keys and of uploads is not repaired: restore a backup.',
  administration: true,
  body: optionalJson(
    z.strictObject({
      ...someScopes,
    }),
  ),
  response: repairResult,
  problems: ['Conflict', 'NotFound', 'Unavailable'],
  example: { body: { 'application/json': { scopes: ['deployment'] } } },
});
