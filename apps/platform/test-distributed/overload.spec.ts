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

  it.each<[Slot['service'], string]>([
    ['query', '/v1/search'],
    ['query', '/v1/context'],
    ['ingestion', '/v1/documents'],
    ['reembedding', '/v1/scopes'],
  ])('%s refuses the second POST %s, with a time to come again, and takes it when there is room', async (service, path) => {
    const url = installation.replicasOf(service)[0] ?? '';
    const again = () => ask(url, `POST ${path}`, { key: installation.key, json: {} });
    const letGo = unfinished(url, path);
    try {
      const refused = await eventually('the second is refused', async () => {
        const answer = await again();
        return answer.status === 429 ? answer : undefined;
      });
      expectProblem(refused, 429, 'Overloaded');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect((await ask(url, 'GET /health/live', { key: undefined })).status).toBe(200);
      expect((await ask(url, 'GET /metrics', { key: undefined })).text).toMatch(/^palimpsest_door_refused_total\{[^}]*\} [1-9]/m);
    } finally {
      letGo();
    }
    await eventually('there is room again', async () => ((await again()).status === 429 ? undefined : true));
  });
});
