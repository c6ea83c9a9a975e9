import { context, propagation, ROOT_CONTEXT, trace, TraceFlags, type Context, type SpanContext } from '@opentelemetry/api';

const HEADER = 'traceparent';

/** Only the trace goes on: what else a caller may put beside it (baggage, vendors' state) would end up on the log. */
const onlyTraceparent = {
  keys: (): string[] => [HEADER],
  get: (carrier: Readonly<Record<string, unknown>>, key: string): string | undefined => (key === HEADER && typeof carrier[key] === 'string' ? carrier[key] : undefined),
  set: (carrier: Record<string, string>, key: string, value: string): void => {
    if (key === HEADER) carrier[key] = value;
  },
};

/** Where a W3C `traceparent` among headers or metadata comes from; the root when there is none, or none that is valid. */
export const originOf = (carrier: Readonly<Record<string, unknown>>): Context => propagation.extract(ROOT_CONTEXT, carrier, onlyTraceparent);

/** As `originOf`, for what refers to a span rather than running under it. */
export const spanContextIn = (traceparent: string | undefined): SpanContext | undefined => trace.getSpanContext(originOf({ traceparent }));

/** The `traceparent` of what is going on, if it is being traced. */
export const traceparent = (): string | undefined => {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier, onlyTraceparent);
  return carrier[HEADER];
};

/**
 * What this runs on behalf of: the active span, as long as it is under way. A timer or an event that a request left behind
 * runs in its context after it has ended, and may do the work of others: that is not of its trace.
 */
export const onBehalfOf = (): Context => {
  const span = trace.getActiveSpan();
  if (!span) return ROOT_CONTEXT;
  const sampled = (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
  return !sampled || span.isRecording() ? context.active() : ROOT_CONTEXT;
};
