import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { HealthController, StatusController } from '@palimpsest/host';
import { IngestionModule } from '@palimpsest/ingestion';
import { FollowersModule, ProjectionsModule, RelayModule } from '@palimpsest/projections';
import { QueryModule } from '@palimpsest/query';
import { ReembeddingModule } from '@palimpsest/reembedding';
import { ApiKeyGuard, ApiKeys, ApiKeysController, DeadLettersController, Ports, ProblemFilter, type FaultLog } from '@palimpsest/runtime';
import type { OpenAdapters } from './adapters.ts';

/** The four features in one process, on whatever adapters were opened. */
@Module({})
export class PlatformModule {
  static on({ bound, apiKeys }: Pick<OpenAdapters, 'bound' | 'apiKeys'>, log: FaultLog): DynamicModule {
    return {
      module: PlatformModule,
      imports: [Ports.bind(bound), FollowersModule, RelayModule, ProjectionsModule, IngestionModule, ReembeddingModule, QueryModule],
      controllers: [HealthController, StatusController, ApiKeysController, DeadLettersController],
      providers: [
        { provide: ApiKeys, useValue: apiKeys },
        { provide: APP_GUARD, useValue: new ApiKeyGuard(apiKeys) },
        { provide: APP_FILTER, useValue: new ProblemFilter(log) },
      ],
    };
  }
}
