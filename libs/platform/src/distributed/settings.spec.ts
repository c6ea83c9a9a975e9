import { ingestionServiceConfig, queryServiceConfig, reembeddingServiceConfig } from './settings.ts';

const NEEDED = {
  PALIMPSEST_EVENTSTORE_URL: 'esdb://localhost:2113?tls=false',
  PALIMPSEST_KAFKA_BROKERS: 'a:9092, b:9092',
  PALIMPSEST_S3_BUCKET: 'palimpsest',
  PALIMPSEST_MASTER_KEY: 'ab'.repeat(32),
  PALIMPSEST_QDRANT_URL: 'http://localhost:6333',
};

describe('the settings of the services', () => {
  it('require only the addresses of the servers and the master key', () => {
    expect(queryServiceConfig(NEEDED)).toMatchObject({
      port: 7333,
      namespace: 'palimpsest',
      kafka: { brokers: ['a:9092', 'b:9092'], sasl: undefined },
      qdrant: { exact: true },
      indexes: { shares: 16, lexical: 'local', snapshotMinutes: 60 },
    });
    expect(ingestionServiceConfig(NEEDED)).toMatchObject({ port: 7331, masterKey: new Uint8Array(32).fill(0xab) });
    expect(reembeddingServiceConfig(NEEDED)).toMatchObject({ port: 7332 });
  });

  it('can be the same for all three services, but contain no unknown setting', () => {
    const all = { ...NEEDED, PALIMPSEST_PARSERS: '3', PALIMPSEST_RETRIEVAL_RECORD_DAYS: '7', PALIMPSEST_VECTOR_SHARES: '8' };
    for (const config of [ingestionServiceConfig, reembeddingServiceConfig, queryServiceConfig]) {
      expect(() => config(all)).not.toThrow();
      expect(() => config({ ...all, PALIMPSEST_VECTOR_SHARDS: '8' })).toThrow(/PALIMPSEST_VECTOR_SHARDS: expected one of/);
    }
  });

  it('are accepted with their names of version 0.1, but not with both names', () => {
    expect(queryServiceConfig({ ...NEEDED, PALIMPSEST_TRACE_DAYS: '7' })).toMatchObject({ retrievalRecordRetentionSeconds: 7 * 86_400 });
    expect(() => ingestionServiceConfig({ ...NEEDED, PALIMPSEST_TRACE_DAYS: '7' })).not.toThrow();
    expect(() => queryServiceConfig({ ...NEEDED, PALIMPSEST_TRACE_DAYS: '7', PALIMPSEST_RETRIEVAL_RECORD_DAYS: '7' })).toThrow(
      /^PALIMPSEST_TRACE_DAYS: expected only PALIMPSEST_RETRIEVAL_RECORD_DAYS/,
    );
  });

  it.each(Object.keys(NEEDED))('report which one is missing: %s', (name) => {
    expect(() => queryServiceConfig({ ...NEEDED, [name]: undefined })).toThrow(new RegExp(`^${name}: expected`));
    expect(() => queryServiceConfig({ ...NEEDED, [name]: '' })).toThrow(new RegExp(`^${name}: expected`));
  });

  it.each([
    [{ PALIMPSEST_KAFKA_USERNAME: 'me' }, 'PALIMPSEST_KAFKA_PASSWORD'],
    [{ PALIMPSEST_KAFKA_PASSWORD: 'secret' }, 'PALIMPSEST_KAFKA_USERNAME'],
    [{ PALIMPSEST_S3_ACCESS_KEY_ID: 'me' }, 'PALIMPSEST_S3_SECRET_ACCESS_KEY'],
    [{ PALIMPSEST_S3_SECRET_ACCESS_KEY: 'secret' }, 'PALIMPSEST_S3_ACCESS_KEY_ID'],
  ])('require settings that belong together: %j', (given, missing) => {
    expect(() => ingestionServiceConfig({ ...NEEDED, ...given })).toThrow(new RegExp(`^${missing}: expected a value, since`));
  });

  it('reject a contradiction: compressed vectors with exact search', () => {
    expect(() => queryServiceConfig({ ...NEEDED, PALIMPSEST_QDRANT_QUANTIZATION: 'scalar' })).toThrow(
      /^PALIMPSEST_QDRANT_EXACT: expected `false`, since/,
    );
    expect(queryServiceConfig({ ...NEEDED, PALIMPSEST_QDRANT_QUANTIZATION: 'scalar', PALIMPSEST_QDRANT_EXACT: 'false' })).toMatchObject({
      qdrant: { quantization: 'scalar', exact: false },
    });
  });

  it.each([
    ['PALIMPSEST_MASTER_KEY', 'short'],
    ['PALIMPSEST_ADMIN_KEY', 'my-key'],
    ['PALIMPSEST_NAMESPACE', 'Upper'],
    ['PALIMPSEST_EVENTSTORE_NAMESPACE', 'a-b'],
    ['PALIMPSEST_QDRANT_URL', 'qdrant'],
    ['PALIMPSEST_VECTOR_SHARES', '0'],
    ['PALIMPSEST_LEXICAL', 'elsewhere'],
  ])('report an invalid value and never quote a secret: %s=%s', (name, value) => {
    let message = '';
    try {
      queryServiceConfig({ ...NEEDED, [name]: value });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toMatch(new RegExp(`^${name}: expected`));
    if (/KEY/.test(name)) expect(message).not.toContain(value);
  });
});
