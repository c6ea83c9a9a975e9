import { Module, type DynamicModule } from '@nestjs/common';
import type { OpenAdapters } from '@palimpsest/distributed';
import { HealthController, httpEdge } from '@palimpsest/host';
import { FollowersModule, RelayModule } from '@palimpsest/projections';
import { ReembeddingModule } from '@palimpsest/reembedding';
import { Ports, type FaultLog } from '@palimpsest/runtime';

/** Re-embeds scopes with another model. */
@Module({})
export class ReembeddingServiceModule {
  static on({ bound, apiKeys }: Pick<OpenAdapters, 'bound' | 'apiKeys'>, log: FaultLog): DynamicModule {
    return {
      module: ReembeddingServiceModule,
      imports: [Ports.bind(bound), FollowersModule, RelayModule, ReembeddingModule],
      controllers: [HealthController],
      providers: httpEdge(apiKeys, log),
    };
  }
}
