import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { recordedEvents } from '@palimpsest/e2e-support/recorded-events';
import { TraceCollector } from '@palimpsest/e2e-support/trace-collector';

const SECRETS = { text: 'hippogriffs graze quietly', query: 'wherefore graze hippogriffs', source: 'bestiary.md' };
const UPLOAD = '0af7651916cd43dd8448eb211c80319c';
const SEARCH = '1af7651916cd43dd8448eb211c80319c';
const NOT_SAMPLED = '2af7651916cd43dd8448eb211c80319c';
const callerOf = (traceId: string, sampled = '01') => ({ traceparent: `00-${traceId}-b7ad6b7169203331-${sampled}` });

describe('the telemetry of the platform', () => {
  let collector: TraceCollector;
  let platform: PlatformUnderTest;
  let settings: Readonly<Record<string, string>>;
  beforeAll(async () => {
    settings = (await EmbeddingStandIn.open()).settings();
    collector = await TraceCollector.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), { ...settings, PALIMPSEST_OTLP_ENDPOINT: collector.url });
    await platform.ask('POST /v1/documents', { json: { sourceId: SECRETS.source, text: SECRETS.text }, headers: callerOf(UPLOAD) });
    await eventually('the document is found', async () => {
      const { json } = await platform.ask('POST /v1/search', { json: { query: SECRETS.query } });
      return (json as { hits?: readonly unknown[] }).hits?.length === 1 || undefined;
    });
    await platform.ask('POST /v1/search', { json: { query: SECRETS.query }, headers: callerOf(SEARCH) });
    await platform.ask('POST /v1/documents', {
      json: { sourceId: SECRETS.source, text: SECRETS.text },
      headers: callerOf(NOT_SAMPLED, '00'),
    });
  });

  const metrics = async (): Promise<string> => (await fetch(`${platform.url}/metrics`)).text();

  it('serves Prometheus metrics without a key', async () => {
    const answer = await fetch(`${platform.url}/metrics`);
    expect({ status: answer.status, type: answer.headers.get('content-type') }).toEqual({
      status: 200,
      type: expect.stringContaining('text/plain'),
    });
    // After its response, the record of a search passes the bus, the log and the read models. Waits until all of them are idle.
    const idle = [
      /^palimpsest_bus_lag_messages\{topic="palimpsest\.ingestion",group="ingestion-worker",service="platform"\} 0$/m,
      /^palimpsest_projection_lag_positions\{projection="vectors",.*\} 0$/m,
      /^palimpsest_projection_behind_seconds\{.*\} 0$/m,
    ];
    const text = await eventually('all queues are empty', async () => {
      const current = await metrics();
      return idle.every((sample) => sample.test(current)) ? current : undefined;
    });
    for (const sample of [
      'palimpsest_ready{service="platform"} 1',
      'palimpsest_documents{state="indexed",service="platform"} 1',
      'palimpsest_documents{state="failed",service="platform"} 0',
      'palimpsest_chunks{service="platform"} 1',
      'palimpsest_queue_capacity_documents{service="platform"} 5000',
      'palimpsest_appended_events_total{type="DocumentIndexed",service="platform"} 1',
    ])
      expect(text).toContain(`\n${sample}\n`);
    for (const series of [
      /^palimpsest_http_request_duration_seconds_count\{.*method="POST".*route="\/v1\/documents".*status="2xx".*\} 2$/m,
      /^palimpsest_bus_handle_duration_seconds_count\{.*topic="palimpsest\.ingestion".*outcome="settled".*\} 1$/m,
      /^palimpsest_embedding_texts_total\{version="[^"]+",cache="hit",.*\} [1-9]/m,
      /^palimpsest_embedding_duration_seconds_count\{.*kind="query".*\} [1-9]/m,
      /^process_resident_memory_bytes\{.*\} \d/m,
    ])
      expect(text).toMatch(series);
    expect(text).not.toContain('palimpsest_scrape_failures_total{');
    for (const secret of [...Object.values(SECRETS), platform.key, 'tenant="', 'team:']) expect(text).not.toContain(secret);
  });

  it('exports a trace from an upload through its events to the read models, and a trace of a search', async () => {
    await platform.stop();
    const append = 'POST /v1/documents > append document';
    const handle = `${append} > handle palimpsest.ingestion`;
    expect(collector.paths(UPLOAD)).toEqual(
      expect.arrayContaining([
        'POST /v1/documents',
        append,
        `${append} > project`,
        handle,
        `${handle} > embed`,
        `${handle} > append document`,
        `${handle} > append document > project`,
      ]),
    );
    const traced = (await recordedEvents(platform.data))
      .filter(({ metadata }) => String(metadata['traceparent']).startsWith(`00-${UPLOAD}-`))
      .map(({ type }) => type);
    expect(traced).toEqual(
      expect.arrayContaining(['DocumentSubmitted', 'DocumentProcessingStarted', 'KnowledgeChunkIndexed', 'DocumentIndexed']),
    );
    expect(collector.paths(SEARCH)).toEqual(expect.arrayContaining(['POST /v1/search', 'POST /v1/search > retrieval']));
    expect(collector.paths(NOT_SAMPLED)).toEqual([]);
    for (const secret of [...Object.values(SECRETS), platform.key]) expect(collector.received).not.toContain(secret);
  });

  it('puts the texts of a search into its trace only if the operator and the tenant want that', async () => {
    const wanted = { PALIMPSEST_OTLP_ENDPOINT: collector.url, PALIMPSEST_TRACE_TEXTS: 'true' };
    const open = await PlatformUnderTest.start(platform.data, { ...settings, ...wanted });
    const search = (query: string) => open.ask('POST /v1/search', { json: { query } });
    expect((await search(SECRETS.query)).status).toBe(200);
    await open.client.tenants.setLimits('default', { overrides: { recordQueries: true } });
    expect((await search('do hippogriffs graze?')).status).toBe(200);
    await open.stop();
    expect(collector.received).not.toContain(SECRETS.query);
    expect(collector.received).toContain('do hippogriffs graze?');
    expect(collector.received).toContain(SECRETS.text);
    for (const secret of [SECRETS.source, platform.key]) expect(collector.received).not.toContain(secret);
  });

  it('serves no metrics and creates no traces when it is disabled', async () => {
    const quiet = await PlatformUnderTest.start(await aDataFolder(), { PALIMPSEST_METRICS: 'false' });
    expect(await quiet.ask('GET /metrics')).toMatchObject({ status: 404 });
    await quiet.ask('POST /v1/documents', { json: { sourceId: SECRETS.source, text: SECRETS.text }, headers: callerOf(UPLOAD) });
    expect((await recordedEvents(quiet.data)).filter(({ metadata }) => metadata['traceparent'] !== undefined)).toEqual([]);
    await quiet.stop();
  });
});
