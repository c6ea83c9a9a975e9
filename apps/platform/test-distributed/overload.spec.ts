import { request } from 'node:http';
import { startInstallation, type Installation, type Slot } from '../../../tools/distributed/installation.mjs';
import { ask, expectProblem } from '../test/ask.ts';
import { distributedServers } from '../test/distributed-under-test.ts';
import { EmbeddingStandIn } from '../test/embedding-stand-in.ts';
import { eventually } from '../test/eventually.ts';
import { aDataFolder } from '../test/platform-under-test.ts';
import { afterSuite } from '../test/tidy-up.ts';

const JSON_BODY = { 'content-type': 'application/json' };

/** Each service has the doors of the platform; what the embedded one is tried with beyond this is `test/overload.spec.ts`. */
describe('a service with room for one request of a kind', () => {
  let installation: Installation;

  beforeAll(async () => {
    const servers = distributedServers();
    if (!servers) throw new Error('the servers of the run are missing: start it by `npm run test:distributed`');
    const one = { PALIMPSEST_CONCURRENT_SEARCHES: '1', PALIMPSEST_CONCURRENT_WRITES: '1', PALIMPSEST_CONCURRENT_READS: '1', PALIMPSEST_WAITING_REQUESTS: '0' };
    installation = await startInstallation({ servers, folder: await aDataFolder(), settings: { ...(await EmbeddingStandIn.open()).settings(), ...one } });
    afterSuite(() => installation.kill());
  });

  /** A request whose body never ends keeps its place until it is let go. */
  const unfinished = (url: string, path: string): (() => void) => {
    const sent = request(`${url}${path}`, { method: 'POST', headers: { ...JSON_BODY, authorization: `Bearer ${installation.key}`, 'content-length': '100' } });
    sent.on('error', () => undefined).write('{');
    return () => void sent.destroy();
  };

  /** What the process says of a door; it may say the same for a second. */
  const told = (url: string, figure: string, work: string, value: string) =>
    eventually(`${figure} of ${work} is ${value}`, async () => {
      const { text } = await ask(url, 'GET /metrics', { key: undefined });
      return new RegExp(`^palimpsest_door_${figure}\\{[^}]*work="${work}"[^}]*\\} ${value}$`, 'm').test(text) || undefined;
    });

  it.each<[Slot['service'], string, string]>([
    ['query', '/v1/search', 'search'],
    ['query', '/v1/context', 'search'],
    ['ingestion', '/v1/documents', 'write'],
    ['reembedding', '/v1/scopes/notes/reembed', 'write'],
  ])('%s refuses the second POST %s, with a time to come again, and takes it when there is room', async (service, path, work) => {
    const url = installation.replicasOf(service)[0] ?? '';
    const again = () => ask(url, `POST ${path}`, { key: installation.key, json: {} });
    const letGo = unfinished(url, path);
    try {
      await told(url, 'active_requests', work, '1');
      const refused = await again();
      expectProblem(refused, 429, 'Overloaded');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect((await ask(url, 'GET /health/live', { key: undefined })).status).toBe(200);
      await told(url, 'refused_total', work, '[1-9]\\d*');
    } finally {
      letGo();
    }
    await told(url, 'active_requests', work, '0');
    expectProblem(await again(), 400, 'InvalidValue');
  });
});
