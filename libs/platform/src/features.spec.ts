import { nameOf, ROUTES, type RouteContract, type Service } from '@palimpsest/contracts/http';
import { createPlatform, type PortsOf } from './create-platform.ts';
import { INGESTION_SERVICE, QUERY_SERVICE, REEMBEDDING_SERVICE, WHOLE_PLATFORM } from './features.ts';
import { ingestionServiceConfig, queryServiceConfig, reembeddingServiceConfig } from './distributed/settings.ts';
import { platformConfig } from './embedded/settings.ts';
import { servedRoutes } from './served-routes.ts';

const SETTINGS = {
  PALIMPSEST_EVENTSTORE_URL: 'esdb://localhost:2113?tls=false',
  PALIMPSEST_KAFKA_BROKERS: 'localhost:9092',
  PALIMPSEST_S3_BUCKET: 'b',
  PALIMPSEST_MASTER_KEY: '0'.repeat(64),
  PALIMPSEST_QDRANT_URL: 'http://localhost:6333',
};
const ownOf = (service: Service): readonly string[] =>
  ROUTES.filter((contract) => contract.service === service || contract.service === 'every').map(nameOf);

describe('the features of a process', () => {
  it('serve exactly the routes whose contracts name their service, and those of every service', () => {
    const served = (routes: readonly RouteContract[]) => routes.map(nameOf).sort();
    expect(served(servedRoutes(INGESTION_SERVICE, ingestionServiceConfig(SETTINGS)))).toEqual([...ownOf('ingestion')].sort());
    expect(served(servedRoutes(REEMBEDDING_SERVICE, reembeddingServiceConfig(SETTINGS)))).toEqual([...ownOf('reembedding')].sort());
    expect(served(servedRoutes(QUERY_SERVICE, queryServiceConfig(SETTINGS)))).toEqual([...ownOf('query')].sort());
    expect(served(servedRoutes(WHOLE_PLATFORM, platformConfig({})))).toEqual(ROUTES.map(nameOf).sort());
  });

  it('do not compile with adapters that lack a port', () => {
    const withoutParser = (ports: Omit<PortsOf<typeof INGESTION_SERVICE>, 'parser'>) =>
      // @ts-expect-error the parser is missing
      createPlatform(INGESTION_SERVICE, ports);
    expect(withoutParser).toBeInstanceOf(Function);
  });
});
