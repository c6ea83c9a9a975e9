import { context, SpanStatusCode, trace, type Context, type Span, type SpanOptions } from '@opentelemetry/api';
import { VERSION } from '@palimpsest/foundation/version';
import { onBehalfOf } from './trace-context.ts';

export const tracer = () => trace.getTracer('palimpsest', VERSION);

/** Runs `work` in its own span, which ends with it. An error marks the span and is rethrown. */
export const inSpan = async <T>(
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<T>,
  parent: Context = onBehalfOf(),
): Promise<T> => {
  const span = tracer().startSpan(name, options, parent);
  try {
    return await context.with(trace.setSpan(parent, span), () => work(span));
  } catch (error) {
    failed(span, kindOf(error));
    throw error;
  } finally {
    span.end();
  }
};

/** Marks a span as failed, without the message of the error, which may quote a text or name a document. */
export const failed = (span: Span, kind: string): void => {
  span.setAttribute('error.type', kind);
  span.setStatus({ code: SpanStatusCode.ERROR });
};

const kindOf = (error: unknown): string => {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return [code, name].find((word): word is string => typeof word === 'string' && /^\w{1,60}$/.test(word)) ?? 'unknown';
};
