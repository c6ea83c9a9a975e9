import { SpanKind } from '@opentelemetry/api';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { AppendResult, EventLog, NewEvent } from '@palimpsest/knowledge/ports';
import { delegating } from '../delegating.ts';
import { categoryOf } from '../observer.ts';
import { inSpan } from './spans.ts';
import { traceparent } from './trace-context.ts';

/**
 * A span for each append. It is written to the metadata of its events unless they already have one, so that all further work on an
 * event, in any process and at any later time, belongs to the same trace. The id of an event does not depend on its metadata, so
 * an append that is repeated in another span is still the same append.
 */
export const tracedEventLog = (log: EventLog): EventLog =>
  delegating(log, {
    append: (stream, events, expected) => {
      const category = categoryOf(stream);
      const attributes = {
        'palimpsest.stream.category': category,
        'palimpsest.events': events.length,
        'palimpsest.event.types': [...new Set(events.map(({ type }) => type))],
      };
      return inSpan(`append ${category}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
        const result = await appendTraced(log, traceparent(), [stream, events, expected]);
        span.setAttribute('palimpsest.outcome', result.outcome);
        return result;
      });
    },
  });

/**
 * If an append is too large with the traceparent (about 80 bytes for each event), it is repeated without: tracing must not make an append
 * fail.
 */
const appendTraced = async (
  log: EventLog,
  current: string | undefined,
  [stream, events, expected]: Parameters<EventLog['append']>,
): Promise<AppendResult> => {
  const traced = withTraceparent(events, current);
  try {
    return await log.append(stream, traced, expected);
  } catch (error) {
    if (error instanceof InvalidValue && traced !== events) return log.append(stream, events, expected);
    throw error;
  }
};

const withTraceparent = (events: readonly NewEvent[], current: string | undefined): readonly NewEvent[] =>
  current === undefined
    ? events
    : events.map((event) =>
        event.metadata['traceparent'] === undefined ? { ...event, metadata: { ...event.metadata, traceparent: current } } : event,
      );
