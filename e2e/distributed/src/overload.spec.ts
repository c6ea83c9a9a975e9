import { request } from 'node:http';
import { startInstallation, type Installation, type Slot } from '../../../tools/distributed/installation.mjs';
import { ask, expectProblem } from '@palimpsest/e2e-support/ask';
import { distributedServers } from '@palimpsest/e2e-support/distributed-under-test';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { aDataFolder } from '@palimpsest/e2e-support/platform-under-test';
import { afterSuite } from '@palimpsest/e2e-support/tidy-up';

const JSON_BODY = { 'content-type': 'application/json' };

/** Each service has the load shedder of the platform; `e2e/flow/src/overload.spec.ts` tests it further on the embedded platform. */
describe('a service that processes one request of each type at a time', () => {
  let installation: Installation;

  beforeAll(async () => {
    const servers = distributedServers();
    if (!servers) throw new Error('the servers of the run are missing: run the suite with `npm run test:distributed`');
    const one = {
      PALIMPSEST_CONCURRENT_SEARCHES: '1',
      PALIMPSEST_CONCURRENT_WRITES: '1',
      PALIMPSEST_CONCURRENT_READS: '1',
      PALIMPSEST_WAITING_REQUESTS: '0',
    };
    installation = await startInstallation({
      servers,
      folder: await aDataFolder(),
      settings: { ...(await EmbeddingStandIn.open()).settings(), ...one },
    });
    afterSuite(() => installation.kill());
  });

  /** A request whose body never ends holds its permit. Returns a function that aborts the request. */
  const unfinished = (url: string, path: string): (() => void) => {
    const sent = request(`${url}${path}`, {
      method: 'POST',
      headers: { ...JSON_BODY, authorization: `Bearer ${installation.key}`, 'content-length': '100' },
    });
    sent.on('error', () => undefined).write('{');
    return () => void sent.destroy();
  };

  /** Waits for a metric of a limiter; metrics may be cached for a second. */
  const untilMetric = (url: string, metric: string, work: string, value: string) =>
    eventually(`${metric} of ${work} is ${value}`, async () => {
      const { text } = await ask(url, 'GET /metrics', { key: undefined });
      return new RegExp(`^palimpsest_http_queue_${metric}\\{[^}]*work="${work}"[^}]*\\} ${value}$`, 'm').test(text) || undefined;
    });

  it.each<[Slot['service'], string, string]>([
    ['query', '/v1/search', 'search'],
    ['query', '/v1/context', 'search'],
    ['ingestion', '/v1/documents', 'write'],
    ['reembedding', '/v1/scopes/notes/reembed', 'write'],
  ])('%s refuses a concurrent second POST %s with a Retry-After, and accepts it after the first one', async (service, path, work) => {
    const url = installation.replicasOf(service)[0] ?? '';
    const send = () => ask(url, `POST ${path}`, { key: installation.key, json: {} });
    const release = unfinished(url, path);
    try {
      await untilMetric(url, 'active_requests', work, '1');
      const refused = await send();
      expectProblem(refused, 429, 'Overloaded');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect((await ask(url, 'GET /health/live', { key: undefined })).status).toBe(200);
      await untilMetric(url, 'refused_total', work, '[1-9]\\d*');
    } finally {
      release();
    }
    await untilMetric(url, 'active_requests', work, '0');
    expectProblem(await send(), 400, 'InvalidValue');
  });
});
