import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { eventually } from '@palimpsest/test-kit';
import { aTracedServer, type TracedServer } from '../../test/traced-server.ts';
import { tracingObserver } from './start-tracing.ts';

const SECRET = 'hippogriffs graze quietly';
const exporter = new InMemorySpanExporter();

/** The names of a span and its ancestors, root first. */
const pathOf = (span: ReadableSpan, all: readonly ReadableSpan[]): string => {
  const parent = all.find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId);
  return `${parent ? `${pathOf(parent, all)} > ` : ''}${span.name}`;
};

const textOf = (span: ReadableSpan): string => JSON.stringify([span.name, span.attributes, span.events, span.status, span.links]);

describe('a trace', () => {
  let server: TracedServer;
  beforeAll(() => new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register());
  beforeEach(async () => {
    server = await aTracedServer(tracingObserver);
    exporter.reset();
  });
  afterEach(() => server.stop());

  /** The spans of finished requests: a response ends on the server a moment after the caller has it. */
  const spansOf = async (requests: number) =>
    eventually('the requests have ended on the server', async () => {
      const spans = exporter.getFinishedSpans();
      return spans.filter(({ kind }) => kind === SpanKind.SERVER).length >= requests ? spans : undefined;
    });
  const upload = (headers: Record<string, string> = {}) =>
    server.ask('/documents/guide.txt', { method: 'POST', body: SECRET, headers: { 'content-type': 'text/plain', ...headers } });

  it('covers a request and what it appends, with the trace in the metadata of the event', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    expect(await upload({ traceparent: `00-${traceId}-b7ad6b7169203331-01` })).toMatchObject({ status: 200 });
    const spans = await spansOf(1);
    expect(new Set(spans.map((span) => span.spanContext().traceId))).toEqual(new Set([traceId]));
    expect(spans.map((span) => pathOf(span, spans)).sort()).toEqual(['POST /documents/:name', 'POST /documents/:name > append document']);
    const append = spans.find(({ name }) => name === 'append document');
    const [event] = await server.events();
    expect(event?.metadata['traceparent']).toBe(`00-${traceId}-${append?.spanContext().spanId}-01`);
  });

  it('is not lost while the rest of a body arrives', async () => {
    async function* slowly() {
      for (const word of SECRET.split(' ')) {
        yield Buffer.from(`${word} `);
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    }
    await server.ask('/documents/slow.txt', {
      method: 'POST',
      body: ReadableStream.from(slowly()),
      duplex: 'half',
      headers: { 'content-type': 'text/plain' },
    });
    const spans = await spansOf(1);
    expect(spans.map((span) => pathOf(span, spans))).toContain('POST /documents/:name > append document');
  });

  it('is not recorded if the caller says "not sampled"', async () => {
    await upload({ traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00' });
    await server.ask('/broken');
    expect((await spansOf(1)).map(({ name }) => name)).toEqual(['GET /broken']);
  });

  it('holds no texts, names or error messages', async () => {
    await server.ask('/broken?secret=1');
    await upload();
    for (const span of await spansOf(2))
      for (const secret of [...SECRET.split(' '), 'secret', 'guide.txt']) expect(textOf(span)).not.toContain(secret);
  });

  it('marks a failed request, with its route', async () => {
    await server.ask('/broken');
    const [span] = await spansOf(1);
    expect(span).toMatchObject({ name: 'GET /broken', kind: SpanKind.SERVER, status: { code: SpanStatusCode.ERROR } });
    expect(span?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/broken',
      'http.response.status_code': 500,
      'error.type': '500',
    });
  });

  it('leaves out probes and metrics', async () => {
    await server.ask('/health/ready');
    await server.ask('/metrics');
    await server.ask('/broken');
    expect((await spansOf(1)).map(({ name }) => name)).toEqual(['GET /broken']);
    expect(trace.getSpan(ROOT_CONTEXT)).toBeUndefined();
  });
});
