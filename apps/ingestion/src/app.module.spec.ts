import { nameOf, ROUTES } from '@palimpsest/contracts/http';
import { ingestionServiceConfig } from '@palimpsest/distributed';
import { servedRoutes, unusable } from '@palimpsest/host';
import { DIGESTS, EMBEDDING_CALLS } from '@palimpsest/projections';
import { PORT } from '@palimpsest/runtime';
import { IngestionServiceModule } from './app.module.ts';

const SETTINGS = ingestionServiceConfig({
  PALIMPSEST_EVENTSTORE_URL: 'esdb://localhost:2113?tls=false',
  PALIMPSEST_KAFKA_BROKERS: 'localhost:9092',
  PALIMPSEST_S3_BUCKET: 'b',
  PALIMPSEST_MASTER_KEY: '0'.repeat(64),
  PALIMPSEST_QDRANT_URL: 'http://localhost:6333',
});

describe('the ingestion service', () => {
  it('serves its own routes, which a gateway forwards to it, and the routes that every process has', () => {
    const bound = new Map<symbol, unknown>(
      Object.entries({ ...PORT, Digests: DIGESTS, EmbeddingCalls: EMBEDDING_CALLS }).map(([name, token]) => [token, unusable(name)]),
    );
    bound.set(PORT.Settings, SETTINGS);
    const module = IngestionServiceModule.on({ bound, apiKeys: unusable('ApiKeys') }, () => undefined);
    const own = ROUTES.filter(({ service }) => service === 'ingestion' || service === 'every');
    expect(servedRoutes(module).map(nameOf).sort()).toEqual(own.map(nameOf).sort());
  });
});
