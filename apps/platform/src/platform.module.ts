import { Module, type DynamicModule } from '@nestjs/common';
import { HealthController, OverviewController, httpEdge, StatusController } from '@palimpsest/host';
import { IngestionModule } from '@palimpsest/ingestion';
import { FollowersModule, ProjectionsModule, RelayModule } from '@palimpsest/projections';
import { EventsModule, QueryModule } from '@palimpsest/query';
import { ReembeddingModule } from '@palimpsest/reembedding';
import { ApiKeysController, AuditController, CallerController, DeadLettersController, LimitsController, Ports, type FaultLog } from '@palimpsest/runtime';
import type { OpenAdapters } from './adapters.ts';
import { LocalServerController } from './local-server-controller.ts';
import { LocalServer } from './local-server.ts';

/** The four features in one process, on the opened adapters. */
@Module({})
export class PlatformModule {
  static on({ bound, apiKeys, localServer }: Pick<OpenAdapters, 'bound' | 'apiKeys'> & Readonly<{ localServer: LocalServer }>, log: FaultLog): DynamicModule {
    return {
      module: PlatformModule,
      imports: [Ports.bind(bound), FollowersModule, RelayModule, ProjectionsModule, IngestionModule, ReembeddingModule, QueryModule, EventsModule],
      controllers: [HealthController, StatusController, OverviewController, CallerController, ApiKeysController, AuditController, DeadLettersController, LimitsController, LocalServerController],
      providers: [...httpEdge(apiKeys, log), { provide: LocalServer, useValue: localServer }],
    };
  }
}
