import type { FastifyInstance } from 'fastify';
import { authenticate, lookUpKey } from './api-key-guard.ts';
import { policyOf } from '@palimpsest/http';
import type { ApiKeys } from '../access/api-keys.ts';

/** Requires an API key. Runs on the matched route, however its path was written, and before the body is read. */
export const askForKey = (fastify: Pick<FastifyInstance, 'addHook'>, apiKeys: ApiKeys): void => {
  fastify.addHook('onRequest', async (request) => {
    if (policyOf(request).public === true) return;
    const { authorization } = request.headers;
    await lookUpKey(apiKeys, authorization);
    authenticate(apiKeys, authorization);
  });
};
