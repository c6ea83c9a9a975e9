import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { aTracedPlatform, type TracedPlatform } from '../../../test/traced-platform.ts';
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
  let platform: TracedPlatform;
  beforeAll(() => new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register());
  beforeEach(async () => {
    platform = await aTracedPlatform(tracingObserver);
    exporter.reset();
  });
  afterEach(() => platform.stop());

  const upload = async (headers: Record<string, string> = {}) => {
    const answer = await platform.ask('/documents/guide.txt', {
      method: 'POST',
      body: SECRET,
      headers: { 'content-type': 'text/plain', ...headers },
    });
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('documentId') });
    await platform.settled();
    return exporter.getFinishedSpans();
  };

  it('covers an upload, its event, its processing and the read models', async () => {
    const spans = await upload();
    expect([...new Set(spans.map((span) => span.spanContext().traceId))]).toHaveLength(1);
    const append = 'POST /documents/:name > append document';
    const handle = `${append} > handle palimpsest.ingestion`;
    expect([...new Set(spans.map((span) => pathOf(span, spans)))].sort()).toEqual(
      [
        'POST /documents/:name',
        append,
        `${append} > project`,
        handle,
        `${handle} > append document`,
        `${handle} > append document > project`,
        `${handle} > embed`,
      ].sort(),
    );
    const projected = spans.filter(({ name }) => name === 'project').flatMap(({ attributes }) => attributes['palimpsest.event.types']);
    expect(projected).toEqual(
      expect.arrayContaining(['DocumentSubmitted', 'DocumentProcessingStarted', 'KnowledgeChunkIndexed', 'DocumentIndexed']),
    );
  });

  it('continues the trace of the caller, and is in the metadata of every event', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const spans = await upload({ traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    expect(new Set(spans.map((span) => span.spanContext().traceId))).toEqual(new Set([traceId]));
    const appends = spans.filter(({ name }) => name.startsWith('append')).map((span) => span.spanContext().spanId);
    const written = (await platform.events()).filter(({ metadata }) => metadata['correlationId'] === 'request-1');
    expect(written.length).toBeGreaterThan(3);
    for (const { metadata } of written)
      expect(appends).toContain(/^00-0af7651916cd43dd8448eb211c80319c-(\w{16})-01$/.exec(String(metadata['traceparent']))?.[1]);
  });

  it('is not lost while the rest of a body arrives', async () => {
    async function* slowly() {
      for (const word of SECRET.split(' ')) {
        yield Buffer.from(`${word} `);
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    }
    await platform.ask('/documents/slow.txt', {
      method: 'POST',
      body: ReadableStream.from(slowly()),
      duplex: 'half',
      headers: { 'content-type': 'text/plain' },
    });
    const spans = exporter.getFinishedSpans();
    expect(spans.map((span) => pathOf(span, spans))).toContain('POST /documents/:name > append document');
  });

  it('is not recorded if the caller says "not sampled"', async () => {
    expect(await upload({ traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00' })).toEqual([]);
  });

  it('holds no texts, names or error messages', async () => {
    await platform.ask('/broken?secret=1');
    const spans = await upload();
    for (const span of spans)
      for (const secret of [...SECRET.split(' '), 'secret', 'guide.txt', 'team:red']) expect(textOf(span)).not.toContain(secret);
  });

  it('marks a failed request, with its route', async () => {
    await platform.ask('/broken');
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({ name: 'GET /broken', kind: SpanKind.SERVER, status: { code: SpanStatusCode.ERROR } });
    expect(span?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/broken',
      'http.response.status_code': 500,
      'error.type': '500',
    });
  });

  it('leaves out probes and metrics', async () => {
    await platform.ask('/health/ready');
    await platform.ask('/metrics');
    expect(exporter.getFinishedSpans()).toEqual([]);
    expect(trace.getSpan(ROOT_CONTEXT)).toBeUndefined();
  });
});
