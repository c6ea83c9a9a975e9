import { SpanKind } from '@opentelemetry/api';
import { InvalidValue, type AppendResult, type EventLog, type NewEvent } from '@palimpsest/knowledge';
import { delegating } from '../delegating.ts';
import { categoryOf } from '../observer.ts';
import { inSpan } from './spans.ts';
import { traceparent } from './trace-context.ts';

/**
 * A span for each append, which goes into the metadata of its events unless they name one already: so whatever follows from
 * an event, in whichever process and however much later, belongs to the trace that led to it. An event's id does not depend
 * on its metadata, so an append that is repeated under another span is still the same append.
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

/** An append that is too large with the trace, of some 80 bytes an event, goes without it: what fits must stay accepted. */
const appendTraced = async (log: EventLog, current: string | undefined, [stream, events, expected]: Parameters<EventLog['append']>): Promise<AppendResult> => {
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
    : events.map((event) => (event.metadata['traceparent'] === undefined ? { ...event, metadata: { ...event.metadata, traceparent: current } } : event));
