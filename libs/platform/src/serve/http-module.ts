import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ApiKeyGuard } from '@palimpsest/tenancy';
import { ProblemFilter, type FaultLog } from '@palimpsest/http';
import type { ServedPlatform } from '../platform.ts';

/** The routes of a platform for Nest. A controller gets what it asks for by its class; nothing else is injected. */
@Module({})
class HttpModule {}

/** `log`: receives the errors that callers see as internal ones. */
export const httpModule = (
  { routes, injectables, apiKeys }: Pick<ServedPlatform, 'routes' | 'injectables' | 'apiKeys'>,
  log: FaultLog,
): DynamicModule => ({
  module: HttpModule,
  controllers: [...routes],
  providers: [
    ...injectables.map((useValue) => ({ provide: useValue.constructor as Type, useValue })),
    // Guard and filter of every route: they authenticate the caller and turn errors into problem responses.
    { provide: APP_GUARD, useValue: new ApiKeyGuard(apiKeys) },
    { provide: APP_FILTER, useValue: new ProblemFilter(log) },
  ],
});
