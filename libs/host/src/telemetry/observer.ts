import type { EmbeddingProvider, EventLog, MessageBus, RecordedEvent, StreamName } from '@palimpsest/knowledge';
import type { Projected } from '@palimpsest/projections';
import type { FastifyInstance } from 'fastify';

/** Looks on at the ports: each answers a port that does what the given one does, and tells of it. Features know nothing of it. */
export type Observer = Readonly<{
  eventLog: (log: EventLog) => EventLog;
  messageBus: (bus: MessageBus) => MessageBus;
  embedding: (provider: EmbeddingProvider) => EmbeddingProvider;
  projected: (projected: Projected) => void;
  /** Before any other hook is added, so that refused requests are seen too. */
  requests: (server: FastifyInstance) => void;
}>;

/** What a stream is about, without whose it is or which: `document`, `scope` and so on. */
export const categoryOf = (stream: StreamName): string => stream.split('-', 1)[0] ?? '';

/** What was recorded longer ago, in milliseconds, is being replayed: that is not news. */
const NEWS_MS = 600_000;

/** For how long an event has been on the log, in milliseconds; nothing when it is not news. */
export const ageOf = ({ recordedAt }: Pick<RecordedEvent, 'recordedAt'>, now: number): number | undefined => {
  const age = Math.max(0, now - Date.parse(recordedAt));
  return age < NEWS_MS ? age : undefined;
};

/** Routes that machines ask every few seconds, which say nothing of the work. */
export const isProbe = (url: string): boolean => /^\/(metrics|health\/)/.test(url);

/** Routes whose answers end when the caller leaves: how long they took says nothing. */
export const isStream = (route: string | undefined): boolean => route?.endsWith('/live') === true && route.startsWith('/v1/');
