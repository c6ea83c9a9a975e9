import type { Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ApiKeyGuard, ApiKeys, ProblemFilter, type FaultLog } from '@palimpsest/runtime';

/** What stands between every caller and every route: who is it, and how is a refusal told. */
export const rim = (apiKeys: ApiKeys, log: FaultLog): Provider[] => [
  { provide: ApiKeys, useValue: apiKeys },
  { provide: APP_GUARD, useValue: new ApiKeyGuard(apiKeys) },
  { provide: APP_FILTER, useValue: new ProblemFilter(log) },
];
