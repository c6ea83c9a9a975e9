import { Module, type DynamicModule } from '@nestjs/common';
import { describeApp, HealthController, OverviewController, httpEdge, StatusController, unusable } from '@palimpsest/host';
import { IngestionModule } from '@palimpsest/ingestion';
import { DIGESTS, EMBEDDING_CALLS, ProjectionsModule } from '@palimpsest/projections';
import { EventsModule, QueryModule } from '@palimpsest/query';
import { ReembeddingModule } from '@palimpsest/reembedding';
import { ApiKeysController, AuditController, CallerController, DeadLettersController, LimitsController, PORT, Ports } from '@palimpsest/runtime';
import type { ServiceConfig } from './settings.ts';

/** All routes of all services, only for the API description. */
@Module({})
class WholeModule {
  static on(settings: ServiceConfig): DynamicModule {
    const bound = new Map<symbol, unknown>(Object.entries({ ...PORT, Digests: DIGESTS, EmbeddingCalls: EMBEDDING_CALLS }).map(([name, token]) => [token, unusable(name)]));
    bound.set(PORT.Settings, settings);
    return {
      module: WholeModule,
      imports: [Ports.bind(bound), ProjectionsModule, IngestionModule, ReembeddingModule, QueryModule, EventsModule],
      controllers: [HealthController, StatusController, OverviewController, CallerController, ApiKeysController, AuditController, DeadLettersController, LimitsController],
      providers: httpEdge(unusable('ApiKeys'), () => undefined),
    };
  }
}

/** API description of the whole installation, the same from every service: behind a gateway they share one address. */
export const wholeApi = (settings: ServiceConfig) => describeApp(WholeModule.on(settings));
