import { ingestionServiceConfig } from '@palimpsest/distributed';
import { describeApp, unusable } from '@palimpsest/host';
import { DIGESTS, EMBEDDING_CALLS } from '@palimpsest/projections';
import { PORT } from '@palimpsest/runtime';
import { IngestionServiceModule } from './app.module.ts';

const SETTINGS = ingestionServiceConfig({
  PALIMPSEST_EVENTSTORE_URL: 'esdb://localhost:2113?tls=false', PALIMPSEST_KAFKA_BROKERS: 'localhost:9092', PALIMPSEST_S3_BUCKET: 'b', PALIMPSEST_MASTER_KEY: '0'.repeat(64),
  PALIMPSEST_QDRANT_URL: 'http://localhost:6333',
});

describe('the ingestion service', () => {
  it('serves its own routes, which a gateway forwards to it, and the routes that every process has', async () => {
    const bound = new Map<symbol, unknown>(Object.entries({ ...PORT, Digests: DIGESTS, EmbeddingCalls: EMBEDDING_CALLS }).map(([name, token]) => [token, unusable(name)]));
    bound.set(PORT.Settings, SETTINGS);
    const { paths } = await describeApp(IngestionServiceModule.on({ bound, apiKeys: unusable('ApiKeys') }, () => undefined));
    expect(Object.keys(paths).sort()).toEqual([
      '/',
      '/health/live',
      '/health/rag',
      '/health/ready',
      '/v1/api-keys',
      '/v1/api-keys/{keyId}',
      '/v1/dead-letters',
      '/v1/dead-letters/{id}',
      '/v1/dead-letters/{id}/retry',
      '/v1/documents',
      '/v1/documents/live',
      '/v1/documents/{id}',
      '/v1/documents/{id}/chunks',
      '/v1/documents/{id}/retry',
      '/v1/exports/{scope}',
      '/v1/imports/{scope}',
      '/v1/imports/{scope}/documents',
      '/v1/knowledge-bases',
      '/v1/knowledge-bases/{id}',
      '/v1/knowledge-bases/{id}/archive',
      '/v1/knowledge-bases/{id}/pause',
      '/v1/knowledge-bases/{id}/resume',
      '/v1/tenants',
      '/v1/tenants/{tenant}/limits',
      '/v1/usage',
    ]);
  });
});
