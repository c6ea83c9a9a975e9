import { Module, type DynamicModule } from '@nestjs/common';
import type { OpenAdapters } from '@palimpsest/distributed';
import { HealthController, OverviewController, httpEdge, StatusController } from '@palimpsest/host';
import { FollowersModule, ProjectionsModule } from '@palimpsest/projections';
import { EventsModule, QueryModule } from '@palimpsest/query';
import { AuditController, CallerController, Ports, type FaultLog } from '@palimpsest/runtime';

/** Answers queries; verifies and rebuilds the read models. */
@Module({})
export class QueryServiceModule {
  static on({ bound, apiKeys }: Pick<OpenAdapters, 'bound' | 'apiKeys'>, log: FaultLog): DynamicModule {
    return {
      module: QueryServiceModule,
      imports: [Ports.bind(bound), FollowersModule, ProjectionsModule, QueryModule, EventsModule],
      controllers: [HealthController, StatusController, OverviewController, CallerController, AuditController],
      providers: httpEdge(apiKeys, log),
    };
  }
}
