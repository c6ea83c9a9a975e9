import { ROOT_CONTEXT, context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { Delivery, Handler, Message, MessageBus } from '@palimpsest/knowledge/ports';
import { inSpan } from './spans.ts';
import { tracedMessageBus } from './traced-message-bus.ts';

const exporter = new InMemorySpanExporter();
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const aMessage = (id: string, headers: Record<string, string> = {}): Message => ({ id, key: id, headers, body: '{}' });
const delivered = (message: Message): Delivery => ({
  ...message,
  topic: 'work',
  attempt: 1,
  publishedAt: new Date().toISOString(),
  signal: new AbortController().signal,
});

/** A bus that records published messages and delivers those of a test. */
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

  it('adds the current trace to messages that have none', async () => {
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

  it('starts no trace outside of a span', async () => {
    const { bus, published } = aBus();
    await bus.publish('work', [aMessage('a')]);
    expect({ names: names(), published }).toEqual({ names: [], published: [aMessage('a')] });
  });

  it('does not add messages of a timer to the trace of the request that set it', async () => {
    const { bus, published } = aBus();
    let left = ROOT_CONTEXT;
    await inSpan('asking', {}, async () => void (left = context.active()));
    await context.with(left, () => bus.publish('work', [aMessage('a')]));
    expect({ names: names(), published }).toEqual({ names: ['asking'], published: [aMessage('a')] });
  });

  it('handles a message in its own trace, also during another span', async () => {
    const { bus, deliver } = aBus();
    let during: string | undefined;
    await bus.consume({ topic: 'work', group: 'workers' }, async () => void (during = trace.getActiveSpan()?.spanContext().traceId));
    await inSpan('something else', {}, () => deliver(aMessage('a', { traceparent: TRACEPARENT })));
    const [handling] = exporter.getFinishedSpans();
    expect(handling).toMatchObject({
      name: 'handle work',
      parentSpanContext: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' },
    });
    expect(during).toBe('0af7651916cd43dd8448eb211c80319c');
  });

  it('handles a batch of several traces in a new trace with links to them', async () => {
    const { bus, deliver } = aBus();
    await bus.consume({ topic: 'work', group: 'workers' }, async () => undefined);
    await deliver(
      aMessage('a', { traceparent: TRACEPARENT }),
      aMessage('b', { traceparent: TRACEPARENT.replace('0af', '1af') }),
      aMessage('c'),
      aMessage('d', { traceparent: 'nonsense' }),
    );
    const [handling] = exporter.getFinishedSpans();
    expect(handling?.parentSpanContext).toBeUndefined();
    expect(handling?.links.map(({ context: { traceId } }) => traceId)).toEqual([
      '0af7651916cd43dd8448eb211c80319c',
      '1af7651916cd43dd8448eb211c80319c',
    ]);
  });

  it('marks a failed handling without the message of the error, and rethrows the error', async () => {
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
