import { z } from 'zod';
import { ROLES } from '@palimpsest/knowledge/access';
import { LENGTHS, PATTERNS, REQUIRED_LABELS } from '@palimpsest/knowledge/texts';
import { wire } from '../../schemas/values.ts';
import { wellFormed } from '../../schemas/well-formed.ts';
import { json, route } from '../route.ts';
import { callerView } from '../views/caller.ts';
import { apiKeyCreated, apiKeyList } from '../views/api-keys.ts';

/** A team or a user, as in the name of a scope, or `*` for all. */
const id = z
  .string()
  .regex(
    new RegExp(`^(?:\\*|[A-Za-z0-9](?:[A-Za-z0-9._@-]{0,${LENGTHS.memberId - 2}}[A-Za-z0-9])?)$`),
    'expected letters, digits, "._@-", or "*"',
  );

const requiredLabels = z
  .record(
    z.string().regex(new RegExp(PATTERNS.labelName), 'expected the name of a label'),
    z
      .array(wellFormed(z.string().max(LENGTHS.labelValue)))
      .min(1)
      .max(REQUIRED_LABELS.values),
  )
  .refine((labels) => Object.keys(labels).length > 0, 'expected at least one label')
  .refine((labels) => Object.keys(labels).length <= REQUIRED_LABELS.names, `expected at most ${REQUIRED_LABELS.names} labels`)
  .meta({ minProperties: 1, maxProperties: REQUIRED_LABELS.names });

export const createApiKey = route({
  id: 'ApiKeys.issue',
  method: 'post',
  path: '/v1/api-keys',
  service: 'ingestion',
  tag: 'API keys',
  summary: 'Create an API key. The secret is shown only once.',
  description:
    'An admin creates keys for its own tenant, an operator for any tenant. The secret is shown only once; the platform stores its SHA-256 only. Teams and user determine which scopes the key can access; roles determine what it may do there. With `requiredLabels`, it sees and changes only documents that have one of the values of each label; such a key is a reader or writer.',
  role: 'admin',
  administration: true,
  body: json(
    z.strictObject({
      name: z.string().min(1).max(100),
      tenant: wire.tenantId.exactOptional(),
      teams: z.array(id).max(100).default([]),
      user: id.exactOptional(),
      roles: z.array(z.enum(ROLES)).min(1).default(['reader']),
      requiredLabels: requiredLabels
        .exactOptional()
        .describe('Only documents that have one of these values of each label are shown and changed.'),
    }),
  ),
  status: 201,
  problems: ['ScopeKeyDestroyed'],
  response: apiKeyCreated,
  example: { body: { 'application/json': { name: 'search of the intranet', teams: ['people'], roles: ['reader'] } } },
});

export const listApiKeys = route({
  id: 'ApiKeys.list',
  method: 'get',
  path: '/v1/api-keys',
  service: 'ingestion',
  tag: 'API keys',
  summary: 'List the API keys of the caller’s tenant, without secrets',
  description: 'Returns the keys of the caller’s own tenant, also for an operator.',
  role: 'admin',
  status: 200,
  response: apiKeyList,
});

export const revokeApiKey = route({
  id: 'ApiKeys.revoke',
  method: 'delete',
  path: '/v1/api-keys/{keyId}',
  service: 'ingestion',
  tag: 'API keys',
  summary: 'Revoke an API key immediately',
  description: 'Requests in progress are completed; live streams are ended.',
  role: 'admin',
  administration: true,
  params: z.object({ keyId: z.string() }),
  status: 204,
  example: { parameters: { keyId: '2f1c6c8e-6f0b-4d0e-9a55-1f3f0c6f7a10' } },
});

export const getCaller = route({
  id: 'Caller.me',
  method: 'get',
  path: '/v1/me',
  service: 'query',
  tag: 'API keys',
  limitedByLabels: true,
  summary: 'Get tenant, teams, user, roles and required labels of the API key in use',
  description:
    'Returns the tenant, teams, user and roles of the key, and the labels that it requires. A program can use it to offer only actions that are allowed.',
  status: 200,
  response: callerView,
});
