import { Module, type DynamicModule } from '@nestjs/common';
import { describeApp, HealthController, OverviewController, rim, StatusController, unusable } from '@palimpsest/host';
import { IngestionModule } from '@palimpsest/ingestion';
import { DIGESTS, EMBEDDING_CALLS, ProjectionsModule } from '@palimpsest/projections';
import { EventsModule, QueryModule } from '@palimpsest/query';
import { ReembeddingModule } from '@palimpsest/reembedding';
import { ApiKeysController, AuditController, CallerController, DeadLettersController, LimitsController, PORT, Ports } from '@palimpsest/runtime';
import type { ServiceConfig } from './settings.ts';

/** Every route of every service, to be described only. */
@Module({})
class WholeModule {
  static on(settings: ServiceConfig): DynamicModule {
    const bound = new Map<symbol, unknown>(Object.entries({ ...PORT, Digests: DIGESTS, EmbeddingCalls: EMBEDDING_CALLS }).map(([name, token]) => [token, unusable(name)]));
    bound.set(PORT.Settings, settings);
    return {
      module: WholeModule,
      imports: [Ports.bind(bound), ProjectionsModule, IngestionModule, ReembeddingModule, QueryModule, EventsModule],
      controllers: [HealthController, StatusController, OverviewController, CallerController, ApiKeysController, AuditController, DeadLettersController, LimitsController],
      providers: rim(unusable('ApiKeys'), () => undefined),
    };
  }
}

/** The interface of the installation, whichever service is asked for it: a gateway makes one address of them. */
export const wholeApi = (settings: ServiceConfig) => describeApp(WholeModule.on(settings));
