import { ROOT_CONTEXT, SpanKind, trace, type Context, type Link } from '@opentelemetry/api';
import type { ConsumeOptions, Consumer, Delivery, Handler, Message, MessageBus } from '@palimpsest/knowledge/ports';
import { delegating } from '../delegating.ts';
import { inSpan } from './spans.ts';
import { onBehalfOf, originOf, traceparent } from './trace-context.ts';

/** Messages carry the trace in which they were published, and are handled in it. */
export const tracedMessageBus = (bus: MessageBus): MessageBus =>
  delegating(bus, {
    publish: (topic, messages) => publish(bus, topic, messages),
    consume: (options, handler) => consume(bus, options, handler),
  });

const carriesTrace = ({ headers }: Message): boolean => headers['traceparent'] !== undefined;

const publish = async (bus: MessageBus, topic: string, messages: readonly Message[]): Promise<void> => {
  // Messages of the relay already carry the trace of their event.
  if (messages.every(carriesTrace) || onBehalfOf() === ROOT_CONTEXT) return bus.publish(topic, messages);
  const attributes = { 'messaging.destination.name': topic, 'messaging.batch.message_count': messages.length };
  return inSpan(`publish ${topic}`, { kind: SpanKind.PRODUCER, attributes }, () => {
    const current = traceparent();
    return bus.publish(
      topic,
      current === undefined ? messages : messages.map((message) => (carriesTrace(message) ? message : withTrace(message, current))),
    );
  });
};

const withTrace = (message: Message, current: string): Message => ({ ...message, headers: { ...message.headers, traceparent: current } });

const consume = (bus: MessageBus, options: ConsumeOptions, handler: Handler): Promise<Consumer> =>
  bus.consume(options, (deliveries) => {
    const { parent, links } = originsOf(deliveries);
    const attributes = {
      'messaging.destination.name': options.topic,
      'messaging.consumer.group.name': options.group,
      'messaging.batch.message_count': deliveries.length,
      'palimpsest.attempt': Math.max(...deliveries.map(({ attempt }) => attempt)),
    };
    return inSpan(`handle ${options.topic}`, { kind: SpanKind.CONSUMER, attributes, links: [...links] }, () => handler(deliveries), parent);
  });

/** A single message is handled in its own trace; a batch with several traces starts a new one with links to each. */
const originsOf = (deliveries: readonly Delivery[]): Readonly<{ parent: Context; links: readonly Link[] }> => {
  const origins = new Map<string | undefined, Context>();
  for (const { headers } of deliveries) if (!origins.has(headers['traceparent'])) origins.set(headers['traceparent'], originOf(headers));
  const [only = ROOT_CONTEXT] = origins.values();
  if (origins.size <= 1) return { parent: only, links: [] };
  const links = [...origins.values()].flatMap((origin) => {
    const spanContext = trace.getSpanContext(origin);
    return spanContext ? [{ context: spanContext }] : [];
  });
  return { parent: ROOT_CONTEXT, links };
};
