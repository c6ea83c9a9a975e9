import { describePlatform } from './describe-platform.ts';
import { createPlatform, type PortsOf } from './create-platform.ts';
import { INGESTION_SERVICE, QUERY_SERVICE, REEMBEDDING_SERVICE, WHOLE_PLATFORM } from './features.ts';
import { ingestionServiceConfig, queryServiceConfig, reembeddingServiceConfig } from './distributed/settings.ts';
import { platformConfig } from './embedded/settings.ts';

const SETTINGS = {
  PALIMPSEST_EVENTSTORE_URL: 'esdb://localhost:2113?tls=false', PALIMPSEST_KAFKA_BROKERS: 'localhost:9092', PALIMPSEST_S3_BUCKET: 'b', PALIMPSEST_MASTER_KEY: '0'.repeat(64),
  PALIMPSEST_QDRANT_URL: 'http://localhost:6333',
};
/** Routes that every process has. */
const EVERYWHERE = ['/', '/health/live', '/health/rag', '/health/ready'];

describe('the features of a process', () => {
  it('accept documents and administer tenants in the ingestion service', async () => {
    const { paths } = await describePlatform(INGESTION_SERVICE, ingestionServiceConfig(SETTINGS));
    expect(Object.keys(paths).sort()).toEqual([
      ...EVERYWHERE,
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

  it('re-embed scopes in the re-embedding service', async () => {
    const { paths } = await describePlatform(REEMBEDDING_SERVICE, reembeddingServiceConfig(SETTINGS));
    expect(Object.keys(paths).sort()).toEqual([
      ...EVERYWHERE,
      '/v1/scopes/{scope}/generations/{generation}/retire',
      '/v1/scopes/{scope}/reembed',
    ]);
  });

  it('answer queries in the query service', async () => {
    const { paths } = await describePlatform(QUERY_SERVICE, queryServiceConfig(SETTINGS));
    expect(Object.keys(paths).sort()).toEqual([
      ...EVERYWHERE,
      '/v1/admin/rebuild',
      '/v1/admin/verify',
      '/v1/audit',
      '/v1/context',
      '/v1/events',
      '/v1/events/live',
      '/v1/events/{position}',
      '/v1/me',
      '/v1/overview',
      '/v1/search',
      '/v1/status',
    ]);
  });

  it('are all in the embedded platform', async () => {
    const services = await Promise.all([
      describePlatform(INGESTION_SERVICE, ingestionServiceConfig(SETTINGS)), describePlatform(REEMBEDDING_SERVICE, reembeddingServiceConfig(SETTINGS)), describePlatform(QUERY_SERVICE, queryServiceConfig(SETTINGS)),
    ]);
    const { paths } = await describePlatform(WHOLE_PLATFORM, platformConfig({}));
    expect(Object.keys(paths).sort()).toEqual([...new Set(services.flatMap((service) => Object.keys(service.paths)))].sort());
  });

  it('do not compile with adapters that lack a port', () => {
    const withoutParser = (ports: Omit<PortsOf<typeof INGESTION_SERVICE>, 'parser'>) =>
      // @ts-expect-error the parser is missing
      createPlatform(INGESTION_SERVICE, ports);
    expect(withoutParser).toBeInstanceOf(Function);
  });
});
