import { Module, type DynamicModule } from '@nestjs/common';
import type { OpenAdapters } from '@palimpsest/distributed';
import { HealthController, httpEdge } from '@palimpsest/host';
import { IngestionModule } from '@palimpsest/ingestion';
import { FollowersModule, RelayModule } from '@palimpsest/projections';
import { ApiKeysController, DeadLettersController, LimitsController, Ports, type FaultLog } from '@palimpsest/runtime';

/** Accepts and processes documents. */
@Module({})
export class IngestionServiceModule {
  static on({ bound, apiKeys }: Pick<OpenAdapters, 'bound' | 'apiKeys'>, log: FaultLog): DynamicModule {
    return {
      module: IngestionServiceModule,
      imports: [Ports.bind(bound), FollowersModule, RelayModule, IngestionModule],
      controllers: [HealthController, ApiKeysController, DeadLettersController, LimitsController],
      providers: httpEdge(apiKeys, log),
    };
  }
}
