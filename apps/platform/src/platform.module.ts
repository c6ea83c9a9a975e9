import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { IngestionModule } from '@palimpsest/ingestion';
import { ProjectionsModule } from '@palimpsest/projections';
import { QueryModule } from '@palimpsest/query';
import { ReembeddingModule } from '@palimpsest/reembedding';
import { ApiKeyGuard, ApiKeys, ApiKeysController, Ports, ProblemFilter, type FaultLog } from '@palimpsest/runtime';
import type { OpenAdapters } from './adapters.ts';
import { OperationsController } from './http/operations-controller.ts';

/** The four features in one process, on whatever adapters were opened. */
@Module({})
export class PlatformModule {
  static on({ bound, apiKeys }: OpenAdapters, log: FaultLog): DynamicModule {
    return {
      module: PlatformModule,
      imports: [Ports.bind(bound), ProjectionsModule, IngestionModule, ReembeddingModule, QueryModule],
      controllers: [OperationsController, ApiKeysController],
      providers: [
        { provide: ApiKeys, useValue: apiKeys },
        { provide: APP_GUARD, useValue: new ApiKeyGuard(apiKeys) },
        { provide: APP_FILTER, useValue: new ProblemFilter(log) },
      ],
    };
  }
}
