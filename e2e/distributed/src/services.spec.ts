import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '@palimpsest/foundation';
import { startInstallation, type Installation, type Slot } from '../../../tools/distributed/installation.mjs';
import { ask, expectProblem, type Answer } from '@palimpsest/e2e-support/ask';
import { distributedServers } from '@palimpsest/e2e-support/distributed-under-test';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { aDataFolder } from '@palimpsest/e2e-support/platform-under-test';
import { sessionFetch } from '@palimpsest/e2e-support/session-fetch';
import { afterSuite } from '@palimpsest/e2e-support/tidy-up';
import { TraceCollector } from '@palimpsest/e2e-support/trace-collector';

const UPLOAD = '2af7651916cd43dd8448eb211c80319c';

/** Tests that need an installation of several processes. Each test continues from the previous one. */
describe('services with two replicas each', () => {
  let folder: string;
  let installation: Installation;
  let collector: TraceCollector;
  let settings: Readonly<Record<string, string>>;
  const session = sessionFetch();
  let documents = 0;

  const call = (route: string, json?: unknown, headers?: Readonly<Record<string, string>>, fetch: typeof globalThis.fetch = session) =>
    ask(installation.url, route, {
      key: installation.key,
      fetch,
      ...(json === undefined ? {} : { json }),
      ...(headers === undefined ? {} : { headers }),
    });
  const submitText = async (text: string, headers?: Readonly<Record<string, string>>): Promise<string> => {
    const { status, json } = await call('POST /v1/documents', { sourceId: `${documents++}.md`, text }, headers);
    expect(status).toBe(202);
    return (json['documents'] as { documentId: string }[])[0]?.documentId ?? '';
  };
  const found = async (url: string, query: string): Promise<readonly string[]> => {
    const { json } = await ask(url, 'POST /v1/search', { key: installation.key, json: { query, strategy: 'DenseSparseHybrid' } });
    return (json['hits'] as { source: string }[] | undefined)?.map(({ source }) => source) ?? [];
  };
  const indexed = (count: number) =>
    eventually(
      'all documents are indexed',
      async () => ((await call('GET /v1/status')).json['documents'] as { indexed: number }).indexed === count || undefined,
    );
  const slotsOf = (service: Slot['service']) => installation.slots.filter((slot) => slot.service === service);
  const readyAgain = (slot: Slot) =>
    eventually(
      `${slot.service}-${slot.replica} is ready`,
      async () => (await fetch(`${slot.child?.address}/health/ready`).catch(() => undefined))?.status === 200 || undefined,
      90_000,
    );

  beforeAll(async () => {
    const servers = distributedServers();
    if (!servers) throw new Error('the servers of the run are missing: run the suite with `npm run test:distributed`');
    folder = await aDataFolder();
    collector = await TraceCollector.open();
    settings = {
      ...(await EmbeddingStandIn.open()).settings(),
      PALIMPSEST_KAFKA_PARTITIONS: '4',
      PALIMPSEST_VECTOR_SHARES: '4',
      PALIMPSEST_SNAPSHOT_MINUTES: '1',
      PALIMPSEST_OTLP_ENDPOINT: collector.url,
    };
    installation = await startInstallation({ servers, folder, settings, replicas: { ingestion: 2, reembedding: 1, query: 2 } });
    afterSuite(() => installation.kill());
    for (const slot of slotsOf('query')) await readyAgain(slot);
  });

  it('find a document on every replica, and see a write on any replica', async () => {
    await submitText('The lighthouse keeper polishes brass lamps.', { traceparent: `00-${UPLOAD}-b7ad6b7169203331-01` });
    await indexed(1);
    for (const url of installation.replicasOf('query'))
      await eventually('this replica finds the document', async () => (await found(url, 'lighthouse')).includes('0.md') || undefined);
    for (let round = 0; round < 10; round++) {
      const { json } = await call('POST /v1/knowledge-bases', { id: `base-${round}` });
      expect(json).toMatchObject({ position: expect.stringMatching(/^\d+$/) });
      expect((await call(`GET /v1/knowledge-bases/base-${round}`)).status).toBe(200);
    }
  });

  it('refuse a request for a later position instead of serving an older state', async () => {
    const ahead = await call('GET /v1/knowledge-bases', undefined, { 'palimpsest-at-least': '18446744073709551615' }, fetch);
    expectProblem(ahead, 503, 'NotCaughtUp');
    expectProblem(await call('GET /v1/knowledge-bases', undefined, { 'palimpsest-at-least': 'soon' }, fetch), 400, 'InvalidValue', {
      field: 'palimpsest-at-least',
    });
  });

  it('export one trace of an upload across three processes', async () => {
    const append = 'POST /v1/documents > append document';
    const handle = `${append} > handle palimpsest.ingestion`;
    await eventually('its spans are exported', async () => {
      const paths = collector
        .paths(UPLOAD)
        .map((path) => path.replaceAll(/handle \S*palimpsest\.ingestion/g, 'handle palimpsest.ingestion'));
      return (
        [append, handle, `${handle} > embed`, `${handle} > append document`, `${handle} > append document > project`].every((path) =>
          paths.includes(path),
        ) || undefined
      );
    });
  });

  it('each serve the description of the whole API', async () => {
    const paths = await Promise.all(
      installation.slots.map(async ({ child }) =>
        Object.keys(((await (await fetch(`${child?.address}/openapi.json`)).json()) as { paths: object }).paths).sort(),
      ),
    );
    expect(paths[0]).toEqual(expect.arrayContaining(['/v1/documents', '/v1/search', '/v1/scopes/{scope}/reembed', '/v1/dead-letters']));
    for (const each of paths) expect(each).toEqual(paths[0]);
  });

  it('are restarted sequentially without an error for any caller', async () => {
    let done = false;
    const statuses = new Map<string, number>();
    const count = (what: string, { status, text }: Answer) => {
      const answer = `${what} ${status}${status < 300 ? '' : ` ${text}`}`;
      statuses.set(answer, (statuses.get(answer) ?? 0) + 1);
    };
    const callers = [
      async () => count('search', await ask(installation.url, 'POST /v1/search', { key: installation.key, json: { query: 'lighthouse' } })),
      async () => count('list', await ask(installation.url, 'GET /v1/documents', { key: installation.key })),
      async () =>
        count(
          'submit',
          await ask(installation.url, 'POST /v1/documents', {
            key: installation.key,
            json: { sourceId: `${documents++}.md`, text: `Note number ${documents}.` },
          }),
        ),
    ].map(async (request) => {
      for (; !done; await pause(25)) await request();
    });
    for (const slot of installation.slots) {
      // If it is the only replica of its service, callers wait for it.
      expect(await installation.retire(slot)).toMatchObject({ code: 0 });
      await installation.start(slot);
      await readyAgain(slot);
    }
    done = true;
    await Promise.all(callers);
    expect([...statuses.keys()].sort()).toEqual(['list 200', 'search 200', 'submit 202']);
    await indexed(documents);
  });

  it('let a new replica start from a snapshot and catch up from there', async () => {
    const [slot] = slotsOf('query');
    if (!slot) throw new Error('no query replica');
    // A snapshot is written a minute after a change. Later events are read from the log.
    await submitText('Glaciers carve deep valleys.');
    await indexed(documents);
    await pause(75_000);
    await submitText('Orchards bloom in early spring.');
    await indexed(documents);
    await installation.retire(slot);
    await rm(join(folder, `query-${slot.replica}`), { recursive: true });
    const child = await installation.start(slot);
    await readyAgain(slot);
    expect(child.errors()).toContain('"msg":"started from a snapshot"');
    for (const [query, source] of [
      ['glaciers', `${documents - 2}.md`],
      ['orchards', `${documents - 1}.md`],
    ] as const)
      expect(await found(child.address, query)).toContain(source);
    const verified = await ask(child.address, 'POST /v1/admin/verify', { key: installation.key });
    expect(verified).toMatchObject({ status: 200, json: { clean: true, differences: [] } });
  });
});
