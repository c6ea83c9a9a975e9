import type { EmbeddingProvider, EventLog, MessageBus, RecordedEvent, StreamName } from '@palimpsest/knowledge/ports';
import type { Projected } from '@palimpsest/projections';
import type { FastifyInstance } from 'fastify';

/** Observes ports: each function wraps a port in one that behaves the same and reports what it does. Features do not know about it. */
export type Observer = Readonly<{
  eventLog: (log: EventLog) => EventLog;
  messageBus: (bus: MessageBus) => MessageBus;
  embedding: (provider: EmbeddingProvider) => EmbeddingProvider;
  projected: (projected: Projected) => void;
  /** Before any other hook is added, so that refused requests are seen too. */
  requests: (server: FastifyInstance) => void;
}>;

/** The category of a stream, without tenant and id: `document`, `scope` and so on. */
export const categoryOf = (stream: StreamName): string => stream.split('-', 1)[0] ?? '';

/** Events that were recorded longer ago, in milliseconds, are replays. */
const REPLAY_AGE_MS = 600_000;

/** Age of an event in milliseconds; undefined if it is replayed. */
export const ageOf = ({ recordedAt }: Pick<RecordedEvent, 'recordedAt'>, now: number): number | undefined => {
  const age = Math.max(0, now - Date.parse(recordedAt));
  return age < REPLAY_AGE_MS ? age : undefined;
};

/** Routes that monitoring requests every few seconds; they are not observed. */
export const isProbe = (url: string): boolean => /^\/(metrics|health\/)/.test(url);

/** Routes whose responses end when the caller disconnects, so that their duration is meaningless. */
export const isStream = (route: string | undefined): boolean => route?.endsWith('/live') === true && route.startsWith('/v1/');
