import { ROOT_CONTEXT, context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { Delivery, Handler, Message, MessageBus } from '@palimpsest/knowledge';
import { inSpan } from './spans.ts';
import { tracedMessageBus } from './traced-message-bus.ts';

const exporter = new InMemorySpanExporter();
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const aMessage = (id: string, headers: Record<string, string> = {}): Message => ({ id, key: id, headers, body: '{}' });
const delivered = (message: Message): Delivery => ({ ...message, topic: 'work', attempt: 1, publishedAt: new Date().toISOString(), signal: new AbortController().signal });

/** Keeps what is published, and lets a test deliver what it wants. */
const aBus = () => {
  const published: Message[] = [];
  let handler: Handler = async () => undefined;
  const bus = {
    publish: async (_topic: string, messages: readonly Message[]) => void published.push(...messages),
    consume: async (_options: unknown, given: Handler) => void (handler = given),
  } as unknown as MessageBus;
  return { bus: tracedMessageBus(bus), published, deliver: (...messages: readonly Message[]) => handler(messages.map(delivered)) };
};

const names = () => exporter.getFinishedSpans().map(({ name }) => name);

describe('a traced message bus', () => {
  beforeAll(() => new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register());
  beforeEach(() => exporter.reset());

  it('gives messages the trace that they are published in, unless they bring one', async () => {
    const { bus, published } = aBus();
    await inSpan('asking', {}, () => bus.publish('work', [aMessage('a'), aMessage('b', { traceparent: TRACEPARENT, tenant: 'acme' })]));
    const [publishing, asking] = exporter.getFinishedSpans();
    expect(names()).toEqual(['publish work', 'asking']);
    expect(publishing?.parentSpanContext?.spanId).toBe(asking?.spanContext().spanId);
    expect(published.map(({ headers }) => headers)).toEqual([
      { traceparent: `00-${publishing?.spanContext().traceId}-${publishing?.spanContext().spanId}-01` },
      { traceparent: TRACEPARENT, tenant: 'acme' },
    ]);
  });

  it('begins no trace where nobody asked for something', async () => {
    const { bus, published } = aBus();
    await bus.publish('work', [aMessage('a')]);
    expect({ names: names(), published }).toEqual({ names: [], published: [aMessage('a')] });
  });

  it('leaves what a timer publishes later out of the trace of the request that set it', async () => {
    const { bus, published } = aBus();
    let left = ROOT_CONTEXT;
    await inSpan('asking', {}, async () => void (left = context.active()));
    await context.with(left, () => bus.publish('work', [aMessage('a')]));
    expect({ names: names(), published }).toEqual({ names: ['asking'], published: [aMessage('a')] });
  });

  it('handles a message in its trace, whatever else goes on', async () => {
    const { bus, deliver } = aBus();
    let during: string | undefined;
    await bus.consume({ topic: 'work', group: 'workers' }, async () => void (during = trace.getActiveSpan()?.spanContext().traceId));
    await inSpan('something else', {}, () => deliver(aMessage('a', { traceparent: TRACEPARENT })));
    const [handling] = exporter.getFinishedSpans();
    expect(handling).toMatchObject({ name: 'handle work', parentSpanContext: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' } });
    expect(during).toBe('0af7651916cd43dd8448eb211c80319c');
  });

  it('handles a batch of several traces in one of its own that points to them', async () => {
    const { bus, deliver } = aBus();
    await bus.consume({ topic: 'work', group: 'workers' }, async () => undefined);
    await deliver(aMessage('a', { traceparent: TRACEPARENT }), aMessage('b', { traceparent: TRACEPARENT.replace('0af', '1af') }), aMessage('c'), aMessage('d', { traceparent: 'nonsense' }));
    const [handling] = exporter.getFinishedSpans();
    expect(handling?.parentSpanContext).toBeUndefined();
    expect(handling?.links.map(({ context: { traceId } }) => traceId)).toEqual(['0af7651916cd43dd8448eb211c80319c', '1af7651916cd43dd8448eb211c80319c']);
  });

  it('marks a handling that failed without saying what the error says, and passes it on', async () => {
    const { bus, deliver } = aBus();
    await bus.consume({ topic: 'work', group: 'workers' }, async () => {
      throw new TypeError('about a secret document');
    });
    await expect(deliver(aMessage('a'))).rejects.toThrow('about a secret document');
    const [handling] = exporter.getFinishedSpans();
    expect(handling).toMatchObject({ attributes: { 'error.type': 'TypeError' }, events: [] });
    expect(JSON.stringify(handling?.status)).not.toContain('secret');
  });
});
