import { context, propagation, ROOT_CONTEXT, trace, TraceFlags, type Context, type SpanContext } from '@opentelemetry/api';

const HEADER = 'traceparent';

/** Propagates only `traceparent`: other headers of a caller (baggage, vendor state) would end up on the log. */
const onlyTraceparent = {
  keys: (): string[] => [HEADER],
  get: (carrier: Readonly<Record<string, unknown>>, key: string): string | undefined =>
    key === HEADER && typeof carrier[key] === 'string' ? carrier[key] : undefined,
  set: (carrier: Record<string, string>, key: string, value: string): void => {
    if (key === HEADER) carrier[key] = value;
  },
};

/** The context of a W3C `traceparent` in headers or metadata; the root context if there is no valid one. */
export const originOf = (carrier: Readonly<Record<string, unknown>>): Context =>
  propagation.extract(ROOT_CONTEXT, carrier, onlyTraceparent);

/** Like `originOf`, but returns the span context, for references to the span. */
export const spanContextIn = (traceparent: string | undefined): SpanContext | undefined => trace.getSpanContext(originOf({ traceparent }));

/** The `traceparent` of the current work, if it is traced. */
export const traceparent = (): string | undefined => {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier, onlyTraceparent);
  return carrier[HEADER];
};

/**
 * The context of the active span, unless the span has ended. A timer or listener that a request left behind still runs in the
 * context of the request after it has ended and may do other work, which does not belong to the trace of that request.
 */
export const onBehalfOf = (): Context => {
  const span = trace.getActiveSpan();
  if (!span) return ROOT_CONTEXT;
  const sampled = (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
  return !sampled || span.isRecording() ? context.active() : ROOT_CONTEXT;
};
