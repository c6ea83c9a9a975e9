import { InvalidValue } from '@palimpsest/knowledge/errors';
import { kafkaBusSettings, type KafkaBusOptions } from './kafka-options.ts';

const BROKERS = ['127.0.0.1:9092'];

describe('the options of Kafka', () => {
  it('require only the brokers', () => {
    expect(kafkaBusSettings({ brokers: BROKERS })).toMatchObject({ prefix: 'palimpsest.', partitions: 6, idWindow: 10_000 });
  });

  it.each<Partial<KafkaBusOptions>>([
    { brokers: [] },
    { brokers: ['localhost'] },
    { prefix: 'a b' },
    { partitions: 0 },
    { retentionMs: 1.5 },
    { idWindow: -1 },
    { sessionTimeoutMs: 0 },
    { graceMs: 30_000 },
    { replication: 0 },
    { publishTimeoutMs: Number.NaN },
  ])('refuse %j', (wrong) => {
    expect(() => kafkaBusSettings({ brokers: BROKERS, ...wrong })).toThrow(InvalidValue);
  });
});
