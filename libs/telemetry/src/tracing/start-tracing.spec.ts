import { context, propagation, trace } from '@opentelemetry/api';
import type { Message, MessageBus, StreamName } from '@palimpsest/knowledge/ports';
import { InMemoryEventLog } from '@palimpsest/test-kit';
import { aCollector, type Collector } from '../../test/collector.ts';
import { openTelemetry } from '../telemetry.ts';
import { inSpan } from './spans.ts';
import { startTracing } from './start-tracing.ts';

describe('tracing a process', () => {
  const collectors: Collector[] = [];
  const collector = async (options?: { silent: boolean }): Promise<Collector> => {
    const opened = await aCollector(options);
    collectors.push(opened);
    return opened;
  };
  afterEach(async () => {
    // Restores the state at the start of a process.
    for (const api of [trace, context, propagation]) api.disable();
    for (const opened of collectors.splice(0)) await opened.close();
  });

  it.each(['', '/', '/v1/traces'])(
    'sends spans with the name of the service, at the latest when it stops (address with "%s")',
    async (end) => {
      const { url, spans, paths } = await collector();
      const tracing = await startTracing({ endpoint: `${url}${end}`, service: 'ingestion' });
      await inSpan('outer', {}, () => inSpan('inner', {}, async () => undefined));
      await tracing.stop();
      const [inner, outer] = spans;
      expect(spans).toMatchObject([
        { service: 'ingestion', name: 'inner' },
        { service: 'ingestion', name: 'outer' },
      ]);
      expect(inner?.parentSpanId).toBe(outer?.spanId);
      expect([...paths]).toEqual(['/v1/traces']);
    },
  );

  it.each([
    { collector: 'is unavailable', address: async () => 'http://127.0.0.1:1' },
    { collector: 'does not respond', address: async () => (await collector({ silent: true })).url },
  ])('stops within its time limit if the collector $collector', async ({ address }) => {
    const tracing = await startTracing({ endpoint: await address(), service: 'ingestion' });
    await expect(inSpan('asking', {}, async () => 'answered')).resolves.toBe('answered');
    await expect(tracing.stop()).resolves.toBeUndefined();
  });

  it('is off by default: ports are not changed', async () => {
    const telemetry = await openTelemetry({ service: 'platform', otlpEndpoint: undefined, metrics: false });
    const log = new InMemoryEventLog();
    const event = { id: '00000000-0000-8000-8000-000000000001', type: 'DocumentDeleted', data: {}, metadata: { tenant: 'acme' } };
    await telemetry.eventLog(log).append('document-acme-a' as StreamName, [event], 'no-stream');
    for await (const recorded of log.readAll()) expect(recorded.metadata).toEqual(event.metadata);
    const published: unknown[] = [];
    const message = { id: '1', key: 'k', headers: {}, body: '{}' };
    await telemetry
      .messageBus({
        publish: async (_topic: string, messages: readonly Message[]) => void published.push(...messages),
      } as unknown as MessageBus)
      .publish('topic', [message]);
    expect(published).toEqual([message]);
    expect(await inSpan('asking', {}, async (span) => span.isRecording())).toBe(false);
    await telemetry.stop();
  });
});
