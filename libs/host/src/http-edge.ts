import type { Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ApiKeyGuard, ApiKeys, ProblemFilter, type FaultLog } from '@palimpsest/runtime';

/** Guard and filter of every route: they authenticate the caller and turn errors into problem responses. */
export const httpEdge = (apiKeys: ApiKeys, log: FaultLog): Provider[] => [
  { provide: ApiKeys, useValue: apiKeys },
  { provide: APP_GUARD, useValue: new ApiKeyGuard(apiKeys) },
  { provide: APP_FILTER, useValue: new ProblemFilter(log) },
];
