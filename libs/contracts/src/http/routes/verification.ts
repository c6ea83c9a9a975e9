import { z } from 'zod';
import { flag } from '../query-params.ts';
import { route } from '../route.ts';
import { verifyResult } from '../views/verification.ts';

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
