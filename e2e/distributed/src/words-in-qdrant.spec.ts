import { createHash } from 'node:crypto';
import { pause } from '@palimpsest/foundation';
import { startInstallation, type Installation } from '../../../tools/distributed/installation.mjs';
import { ask } from '@palimpsest/e2e-support/ask';
import { distributedServers } from '@palimpsest/e2e-support/distributed-under-test';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { aDataFolder } from '@palimpsest/e2e-support/platform-under-test';
import { afterSuite } from '@palimpsest/e2e-support/tidy-up';

const DOCUMENTS = 40;
const RED = 'team:red';
const STRAY = 'f'.repeat(32);

/** The id of a chunk's point, as the adapter makes it. */
const uuidOf = (...parts: readonly string[]): string => {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};

/** Each test continues from the previous one. */
describe('two query replicas with their words in Qdrant', () => {
  let installation: Installation;
  let qdrant: string;

  const on = (url: string, route: string, json?: unknown) =>
    ask(url, route, { key: installation.key, ...(json === undefined ? {} : { json }) });
  const call = (route: string, json?: unknown) => on(installation.url, route, json);
  const replica = (n: number): string => {
    const url = installation.replicasOf('query')[n];
    if (url === undefined) throw new Error(`there is no replica ${n}`);
    return url;
  };
  const submitted = async (n: number, scope: string) => {
    const json = {
      sourceId: `${n}.md`,
      text: `# Ship ${n}\n\nThe vessel${n} carries rope and timber.`,
      knowledgeBase: scope === RED ? 'red' : 'default',
    };
    expect((await call('POST /v1/documents', json)).status).toBe(202);
  };
  const indexed = (count: number) =>
    eventually(
      'all documents are indexed',
      async () => ((await call('GET /v1/status')).json['documents'] as { indexed: number }).indexed === count || undefined,
    );
  /** By their words only. */
  const found = async (url: string, query: string, scope: string): Promise<readonly string[]> => {
    const { status, json } = await on(url, 'POST /v1/search', { query, strategy: 'SparseOnly', scopes: [scope], topK: 5 });
    expect([status, json['degraded'] ?? false]).toEqual([200, false]);
    return (json['hits'] as { source: string }[]).map(({ source }) => source);
  };
  const differences = async (url: string): Promise<readonly string[]> => {
    const { json } = await on(url, 'POST /v1/admin/verify');
    return (json['differences'] as { kind: string; store: string }[]).map(({ kind, store }) => `${kind} ${store}`).sort();
  };
  const inQdrant = async (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST'): Promise<unknown> => {
    const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await fetch(`${qdrant}${path}`, { method, ...init });
    expect(response.status).toBe(200);
    return ((await response.json()) as { result: unknown }).result;
  };
  const collectionOf = async (kind: string): Promise<string> => {
    const [found, ...others] = (await collections()).filter((name) => name.startsWith(`${installation.namespace}-_${kind}-`));
    if (found === undefined || others.length > 0) throw new Error(`expected one collection of ${kind}`);
    return found;
  };
  const inScope = (scope: string) => ({ must: [{ key: 'partition', match: { value: `default/${scope}/g1` } }] });
  /** What an earlier version would have left, in another format. */
  const leaveEarlierFormat = async (): Promise<string> => {
    const name = `${installation.namespace}-_lexical_earlier`;
    await inQdrant(`/collections/${name}`, { vectors: {} }, 'PUT');
    await inQdrant(`/collections/${name}/points?wait=true`, { points: [{ id: 1, vector: {}, payload: { title: 'in the clear' } }] }, 'PUT');
    return name;
  };
  const collections = async (): Promise<readonly string[]> => {
    const { collections } = (await inQdrant('/collections')) as { collections: { name: string }[] };
    return collections.map(({ name }) => name);
  };
  /** Removes the words of two chunks of each scope. */
  const damage = async (): Promise<void> => {
    const words = await collectionOf('lexical');
    for (const scope of ['deployment', RED]) {
      const { points } = (await inQdrant(`/collections/${words}/points/scroll`, { filter: inScope(scope), limit: 2 })) as {
        points: { id: string }[];
      };
      await inQdrant(`/collections/${words}/points/delete?wait=true`, { points: points.map(({ id }) => id) });
    }
  };
  /** Searches both replicas until `work` ends. Every search must find the document whose word it has. */
  const searchedDuring = async (work: Promise<unknown>, numbers: readonly number[]): Promise<number> => {
    let isOver = false;
    const ended = work.finally(() => (isOver = true));
    let searches = 0;
    for (let i = 0; !isOver; i++) {
      const n = numbers[i % numbers.length] ?? 0;
      expect(await found(replica(i % 2), `vessel${n}`, n % 2 === 0 ? 'deployment' : RED)).toEqual([`${n}.md`]);
      searches++;
      await pause(5);
    }
    await ended;
    return searches;
  };

  beforeAll(async () => {
    const servers = distributedServers();
    if (!servers) throw new Error('the servers of the run are missing: run the suite with `npm run test:distributed`');
    const settings = {
      ...(await EmbeddingStandIn.open()).settings(),
      PALIMPSEST_KAFKA_PARTITIONS: '4',
      PALIMPSEST_VECTOR_SHARES: '4',
      PALIMPSEST_LEXICAL: 'qdrant',
      PALIMPSEST_PURGE_MINUTES: '0.05',
    };
    qdrant = servers.qdrant.address;
    installation = await startInstallation({
      servers,
      folder: await aDataFolder(),
      settings,
      replicas: { ingestion: 1, reembedding: 1, query: 2 },
    });
    afterSuite(() => installation.kill());
    expect((await call('POST /v1/knowledge-bases', { id: 'red', scope: RED })).status).toBe(201);
    for (let n = 0; n < DOCUMENTS; n++) await submitted(n, n % 2 === 0 ? 'deployment' : RED);
    await indexed(DOCUMENTS);
  });

  it('find documents by their words on each replica, and agree with the log', async () => {
    for (const n of [0, 1, DOCUMENTS - 1])
      for (const url of [replica(0), replica(1)])
        await eventually(
          'it is found',
          async () => (await found(url, `vessel${n}`, n % 2 === 0 ? 'deployment' : RED)).length === 1 || undefined,
        );
    expect(await differences(replica(0))).toEqual([]);
  });

  it('write lost words again in a rebuild of one of them, while both answer every search', async () => {
    await damage();
    expect(await differences(replica(0))).toEqual(Array.from({ length: 4 }, () => 'missing lexical'));
    const left = await intact();
    const earlier = await leaveEarlierFormat();
    const searches = await searchedDuring(on(replica(0), 'POST /v1/admin/rebuild', { maxEventsPerSecond: 100 }), left);
    expect(searches).toBeGreaterThan(20);
    expect(await collections()).not.toContain(earlier);
    expect([await differences(replica(0)), await differences(replica(1))]).toEqual([[], []]);
  });

  it('write the words of single scopes again, and only those', async () => {
    await damage();
    const { status, json } = await on(replica(1), 'POST /v1/admin/rebuild', { scopes: [RED] });
    expect([status, json['documents']]).toEqual([200, DOCUMENTS / 2]);
    expect(await differences(replica(0))).toEqual(['missing lexical', 'missing lexical']);
    expect((await on(replica(0), 'POST /v1/admin/rebuild')).status).toBe(200);
    expect(await differences(replica(1))).toEqual([]);
  });

  it('repair every kind of difference in vectors and words, and only these, from one replica', async () => {
    for (const kind of ['vectors', 'lexical']) {
      const collection = await collectionOf(kind);
      const { points } = (await inQdrant(`/collections/${collection}/points/scroll`, {
        filter: inScope(RED),
        limit: 3,
        with_vector: true,
      })) as { points: { id: string; vector: unknown; payload: Record<string, unknown> }[] };
      const [missing, different, copied] = points;
      if (!missing || !different || !copied) throw new Error('too few points');
      const extra = {
        id: uuidOf(String(copied.payload['partition']), STRAY),
        vector: copied.vector,
        payload: { ...copied.payload, chunk: STRAY },
      };
      await inQdrant(`/collections/${collection}/points?wait=true`, { points: [extra] }, 'PUT');
      const payload = { digest: '0'.repeat(64) };
      await inQdrant(`/collections/${collection}/points/payload?wait=true`, { points: [different.id], payload });
      await inQdrant(`/collections/${collection}/points/delete?wait=true`, { points: [missing.id] });
    }
    const planted = ['lexical', 'vectors'].flatMap((store) => ['different', 'extra', 'missing'].map((kind) => `${kind} ${store}`)).sort();
    expect(await differences(replica(0))).toEqual(planted);
    const { status, json } = await on(replica(1), 'POST /v1/admin/repair', { scopes: [RED] });
    expect([status, json['repaired'], (json['after'] as { clean: boolean }).clean]).toEqual([200, planted.length, true]);
    expect([await differences(replica(0)), await differences(replica(1))]).toEqual([[], []]);
    // Repairs are on the log, so every replica lists them.
    expect((await on(replica(0), 'GET /v1/admin/verify')).json['repairs']).toMatchObject([{ total: planted.length, remaining: 0 }]);
  });

  it('write everything again from the log after an upgrade with another format, one after the other, and remove the earlier one', async () => {
    const slots = installation.slots.filter(({ service }) => service === 'query');
    for (const slot of slots) await installation.retire(slot);
    // As if this version had never run: there is nothing in its format.
    for (const name of await collections())
      if (name.startsWith(`${installation.namespace}-_`)) await inQdrant(`/collections/${name}`, undefined, 'DELETE');
    const earlier = await leaveEarlierFormat();
    for (const slot of slots) {
      await installation.start(slot);
      const ready = async () => (await fetch(`${slot.child?.address}/health/ready`).catch(() => undefined))?.status === 200 || undefined;
      await eventually('the replica is ready', ready);
    }
    expect([await differences(replica(0)), await differences(replica(1))]).toEqual([[], []]);
    for (const n of [0, 1]) expect(await found(replica(n), `vessel${n}`, n % 2 === 0 ? 'deployment' : RED)).toEqual([`${n}.md`]);
    await eventually('the earlier format is gone', async () => !(await collections()).includes(earlier) || undefined);
  });

  it('can pause and cancel a rebuild', async () => {
    const rebuilt = on(replica(0), 'POST /v1/admin/rebuild', { maxEventsPerSecond: 1 });
    await eventually('it runs', async () => (await on(replica(0), 'GET /v1/admin/rebuild')).json['state'] === 'running' || undefined);
    expect((await on(replica(0), 'POST /v1/admin/rebuild/pause')).json).toMatchObject({ state: 'paused' });
    expect((await on(replica(0), 'POST /v1/admin/rebuild/cancel')).json).toMatchObject({ state: 'cancelled' });
    expect((await rebuilt).status).toBe(409);
    expect(await differences(replica(0))).toEqual([]);
  });

  /** Documents whose words were not removed. */
  const intact = async (): Promise<readonly number[]> => {
    const numbers: number[] = [];
    for (let n = 0; n < DOCUMENTS; n++)
      if ((await found(replica(0), `vessel${n}`, n % 2 === 0 ? 'deployment' : RED)).includes(`${n}.md`)) numbers.push(n);
    expect(numbers).toHaveLength(DOCUMENTS - 4);
    return numbers;
  };
});
