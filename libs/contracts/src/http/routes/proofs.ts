import { z } from 'zod';
import { wire } from '../../schemas/values.ts';
import { optionalJson, route } from '../route.ts';
import { lineageReceipt, logCheck, signingKey } from '../views/proofs.ts';

export const getSigningKey = route({
  id: 'Proofs.signingKey',
  method: 'get',
  path: '/v1/signing-key',
  service: 'query',
  tag: 'Operation',
  summary: 'The public key with which this installation signs checkpoints of its log and receipts',
  description: 'Compare it with the key in a receipt, or keep it: receipts can then be checked without this installation.',
  status: 200,
  response: signingKey,
});

export const verifyLog = route({
  id: 'Proofs.verifyLog',
  method: 'post',
  path: '/v1/admin/verify-log',
  service: 'query',
  tag: 'Operation',
  summary: 'Compare every record of the log with the signed checkpoints',
  description:
    'Names records that were changed, removed, inserted or reordered after they were signed, in the order of the log. It reads the whole log and responds when it has. Digests cover what is stored, so it needs no keys of scopes, and erased ones make no difference.',
  role: 'operator',
  administration: true,
  internal: true,
  idempotent: true,
  body: optionalJson(
    z.strictObject({
      known: z
        .strictObject({
          number: z.number().int().min(1),
          digest: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 lower-case hexadecimal digits'),
        })
        .exactOptional()
        .describe('a checkpoint that an earlier check returned: it is a finding if the log does not contain it any more'),
    }),
  ),
  status: 200,
  response: logCheck,
  problems: ['Unavailable'],
  example: { body: { 'application/json': {} } },
});

export const getLineage = route({
  id: 'Proofs.lineage',
  method: 'post',
  path: '/v1/retrievals/{traceId}/receipt',
  service: 'query',
  tag: 'Search',
  summary: 'A receipt for the results of a search: where each came from, with digests and signatures',
  description:
    'For each result the chain uploaded bytes → version of the document → passage → events → search. The records of the log are included as they are stored, with the proof that they are in a signed checkpoint; digests of the uploaded bytes and of the text of the passage are attested by the signature of the receipt. It can be checked offline with `palimpsest receipt check`. The receipt contains the texts of the passages. Callers get receipts of their own searches, admins of those of all callers, if they may read all scopes that were searched.',
  role: 'reader',
  rate: 'search',
  idempotent: true,
  params: z.object({ traceId: z.uuid().describe('the `traceId` of the response') }),
  body: optionalJson(
    z.strictObject({
      chunk: wire.chunkId.exactOptional().describe('only this result; default: the first 20'),
    }),
  ),
  status: 200,
  response: lineageReceipt,
  problems: ['NotFound', 'Conflict', 'Unavailable'],
  example: { parameters: { traceId: '01a21f2a-cfeb-74b4-9403-be3239ada940' }, body: { 'application/json': {} } },
});
