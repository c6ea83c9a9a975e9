export { problem, problemOf, type Problem } from './http/problem.ts';
export { ProblemFilter, type FaultLog } from './http/problem-filter.ts';
export { ApiQueries, jsonSchema } from './http/json-schema.ts';
export { ApiKeys, type ApiKeyView, type IssuedApiKey, type NewApiKey } from './access/api-keys.ts';
export { ApiKeyGuard, authenticate, lookUpKey, Unauthenticated } from './access/api-key-guard.ts';
export { Caller, Public, type CallerContext } from './access/caller.ts';
export { ApiKeysController } from './nest/api-keys-controller.ts';
export { DeadLettersController } from './nest/dead-letters-controller.ts';
export { PORT, Ports, now, type OnFault } from './nest/ports.ts';
