import {
  KafkaJSConnectionError,
  KafkaJSNonRetriableError,
  KafkaJSNumberOfRetriesExceeded,
  KafkaJSProtocolError,
  KafkaJSRequestTimeoutError,
} from 'kafkajs';
import { Conflict, ServerAway, StoreRefused, Unavailable } from '@palimpsest/knowledge/errors';
import { translated } from './faults.ts';

const BROKER = 'kafka-1.internal:9092';
const ofBroker = (type: string, retriable: boolean): Error =>
  new KafkaJSProtocolError(Object.assign(new Error(type), { type, code: 1, retriable }));
/** The types of the client do not export the constructors of these. */
const named = (name: string, message: string, retriable: boolean): Error => Object.assign(new Error(message), { name, retriable });
const afterRetries = (error: Error): Error => new KafkaJSNumberOfRetriesExceeded(error, { retryCount: 5, retryTime: 1_000 });

describe('An error of the Kafka client', () => {
  it.each([
    afterRetries(new KafkaJSConnectionError('connect ECONNREFUSED', { broker: BROKER, code: 'ECONNREFUSED' })),
    afterRetries(ofBroker('NOT_LEADER_FOR_PARTITION', true)),
    new KafkaJSConnectionError('connect ECONNREFUSED', { broker: BROKER, code: 'ECONNREFUSED' }),
    named('KafkaJSConnectionClosedError', 'Closed connection', true),
    new KafkaJSRequestTimeoutError('Request Produce timed out', { broker: BROKER } as never),
    named('KafkaJSBrokerNotFound', 'Broker 2 not found in the cached metadata', true),
    ofBroker('NOT_LEADER_FOR_PARTITION', true),
    ofBroker('NOT_ENOUGH_REPLICAS', true),
    Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  ])('means that the cluster is away, also after the retries of the client: %s', (error) => {
    const fault = translated('publish to work', error);
    expect(fault).toBeInstanceOf(ServerAway);
    expect(fault.message).toMatch(/^publish to work: /);
  });

  it.each([
    ofBroker('TOPIC_AUTHORIZATION_FAILED', false),
    ofBroker('MESSAGE_TOO_LARGE', false),
    afterRetries(ofBroker('SASL_AUTHENTICATION_FAILED', false)),
    named('KafkaJSSASLAuthenticationError', 'wrong password', false),
  ])('means that the cluster refuses, and would refuse again: %s', (error) =>
    expect(translated('publish to work', error)).toBeInstanceOf(StoreRefused),
  );

  it.each([new KafkaJSNonRetriableError('no idea'), ofBroker('OFFSET_OUT_OF_RANGE', false)])(
    'may concern this request only: %s',
    (error) => {
      const fault = translated('publish to work', error);
      expect(fault).toBeInstanceOf(Unavailable);
      expect(fault).not.toBeInstanceOf(ServerAway);
    },
  );

  it('stays as it is if it already is an error of the platform, or a bug', () => {
    const own = new Conflict('moved');
    const bug = new TypeError('x is not a function');
    expect([translated('publish', own), translated('publish', bug)]).toEqual([own, bug]);
  });
});
