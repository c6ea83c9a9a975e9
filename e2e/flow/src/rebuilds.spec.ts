import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';
import { currentReadModels } from './current-read-models.ts';

const BUILT_IN = 'onnx:all-minilm-l6-v2-int8/384';
const PAUSE = 'POST /v1/admin/rebuild/pause';
const RESUME = 'POST /v1/admin/rebuild/resume';
const CANCEL = 'POST /v1/admin/rebuild/cancel';
/** What holds the sets of read models, in the data folder or in that of the installation. */
const ROOT = DISTRIBUTED ? 'query-0' : 'read-models';

describe('a running rebuild', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const start = async () => (platform = await PlatformUnderTest.start(data, standIn.settings()));
  const search = async () => (await platform.client.search({ query: 'harbour engine', topK: 50 })).hits;
  const sets = async () => (await readdir(join(data, ROOT))).filter((entry) => entry.startsWith('=rebuilt-'));

  /** One event per second: it does not end before the test says so. */
  const started = async (maxEventsPerSecond = 1) => {
    const rebuilt = platform.ask('POST /v1/admin/rebuild', { json: { maxEventsPerSecond } });
    rebuilt.catch(() => undefined);
    await running();
    return { answer: () => rebuilt };
  };
  /** Changes rows of the scope behind the back of the platform. */
  const damage = async (): Promise<void> => {
    const catalog = new DatabaseSync(join(await currentReadModels(data, ROOT), 'catalog.db'), { timeout: 5_000 });
    catalog.exec("PRAGMA wal_autocheckpoint = 0; UPDATE documents SET title = 'Wrong', bytes = 1 WHERE scope = 'team:red'");
    catalog.exec("DELETE FROM chunks WHERE scope = 'team:red'");
    catalog.close();
  };
  /** The platform does not answer it, because it is killed first. */
  const startedWithoutAnswer = async (maxEventsPerSecond: number) => {
    const headers = { authorization: `Bearer ${platform.key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ maxEventsPerSecond });
    fetch(`${platform.url}/v1/admin/rebuild`, { method: 'POST', headers, body }).catch(() => undefined);
    await running();
  };
  const running = () =>
    eventually('the rebuild runs', async () => (await platform.client.operations.rebuildStatus()).state === 'running' || undefined);

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    await start();
    for (let i = 0; i < 20; i++)
      await submitText(platform.client, { sourceId: `${i}.md`, text: `# Note ${i}\n\nThe engine of ship ${i} is in the harbour.\n` });
  });

  it('is known only to operators', async () => {
    expect(await platform.client.operations.rebuildStatus()).toEqual({ state: 'none' });
    const { key } = await platform.client.operations.createApiKey({ name: 'admin', roles: ['admin'] });
    for (const route of ['GET /v1/admin/rebuild', 'POST /v1/admin/rebuild', PAUSE, RESUME, CANCEL])
      expectProblem(await platform.ask(route, { key }), 403, 'Forbidden');
    for (const route of [PAUSE, RESUME, CANCEL]) expectProblem(await platform.ask(route), 409, 'Conflict');
  });

  it('refuses a second one, is paused and resumed while searches and new documents go on, and cancelled', async () => {
    const before = await search();
    const { answer } = await started();
    const second = await platform.ask('POST /v1/admin/rebuild');
    expectProblem(second, 409, 'Conflict');
    expect(second.json['detail']).toMatch(/^a rebuild is already running: started at .* by /);
    expect((await platform.ask(PAUSE)).json).toMatchObject({ state: 'paused', maxEventsPerSecond: 1 });
    expect(await search()).toEqual(before);
    const { documentId } = await submitText(platform.client, { sourceId: 'meanwhile.md', text: 'Meanwhile, an engine in the harbour.' });
    expect((await search()).map((hit) => hit.documentId)).toContain(documentId);
    await platform.client.documents.remove(documentId);
    const paused = await platform.client.operations.rebuildStatus();
    expect(paused.state).toBe('paused');
    expect((await platform.ask(RESUME)).json).toMatchObject({ state: 'running', positions: paused.positions });
    expect((await platform.ask(CANCEL)).json).toMatchObject({ state: 'cancelled' });
    const { status, json } = await answer();
    expect([status, json['detail']]).toEqual([409, 'the rebuild was cancelled; the read models are those from before it']);
    expect(await sets()).toEqual([]);
    expect(await search()).toEqual(before);
    expect(await platform.client.operations.verify()).toMatchObject({ clean: true });
  });

  it('reports its result after the end', async () => {
    const result = await platform.client.operations.rebuild({ maxEventsPerSecond: 1_000_000 });
    expect(result).toMatchObject({ documents: 20, embeddingCalls: 0 });
    const status = await platform.client.operations.rebuildStatus();
    expect(status).toMatchObject({ state: 'complete', result, startedBy: expect.any(String), eventsPerSecond: expect.any(Number) });
    expect(status.positions?.done).toBe(status.positions?.total);
  });

  it('has the generation that a swap is cut over to meanwhile, and the one that it is rolled back to', async () => {
    const SWAP = '/v1/scopes/deployment/swap';
    const serving = async () => {
      const { generations } = await platform.client.swaps.get('deployment');
      return generations.find(({ status }) => status === 'active')?.generation;
    };
    await platform.ask(`POST ${SWAP}`, { json: { embeddingVersion: BUILT_IN, cutover: 'manual' } });
    await eventually('the generation is built', async () =>
      (await platform.client.swaps.get('deployment')).state === 'ready' ? true : undefined,
    );
    for (const [action, generation] of [
      ['cutover', 'g2'],
      ['rollback', 'g1'],
      ['cutover', 'g2'],
    ]) {
      const { answer } = await started(30);
      // On a very slow machine it may have ended before the pause; then the exchange comes directly after it.
      await platform.ask(PAUSE);
      const { position } = (await platform.ask(`POST ${SWAP}/${action}`)).json as { position: string };
      const found = async () => (await platform.client.search({ query: 'harbour engine', topK: 20, atLeast: position })).hits.length;
      expect([await serving(), await found()]).toEqual([generation, 20]);
      await platform.ask(RESUME);
      expect((await answer()).status).toBe(200);
      expect([await serving(), await found()]).toEqual([generation, 20]);
      expect(await platform.client.operations.verify()).toMatchObject({ clean: true });
    }
    await platform.client.swaps.rollBack('deployment');
  });

  describe('of single scopes', () => {
    const scopes = ['team:red'];
    const rebuild = (json: object, key?: string) => platform.ask('POST /v1/admin/rebuild', { json, ...(key === undefined ? {} : { key }) });
    const verify = () => platform.client.operations.verify();

    beforeAll(async () => {
      await platform.client.knowledgeBases.create({ id: 'red', scope: 'team:red', name: 'Red' });
      for (let i = 0; i < 5; i++)
        await submitText(platform.client, {
          knowledgeBase: 'red',
          sourceId: `red-${i}.md`,
          text: `The engine of red ship ${i} is in the harbour.`,
        });
    });

    it('refuses scopes that do not exist, also those of another tenant, and callers that are no operators', async () => {
      const { key } = await platform.client.operations.createApiKey({ name: 'admin of acme', tenant: 'acme', roles: ['admin'] });
      expectProblem(await rebuild({ scopes }, key), 403, 'Forbidden');
      expectProblem(await rebuild({ scopes, tenant: 'default' }, key), 403, 'Forbidden');
      for (const json of [{ scopes: ['team:red', 'team:missing'] }, { scopes, tenant: 'acme' }]) {
        const answer = await rebuild(json);
        expectProblem(answer, 404, 'NotFound');
        expect(answer.json['detail']).toContain(json.scopes.at(-1));
      }
    });

    it('repairs the rows of a scope while searches and new documents go on', async () => {
      const [before, kept] = [await search(), await sets()];
      await damage();
      expect(await verify()).toMatchObject({ clean: false });
      const rebuilt = platform.ask('POST /v1/admin/rebuild', { json: { scopes, maxEventsPerSecond: 10 } });
      await running();
      expect(await platform.client.operations.rebuildStatus()).toMatchObject({ state: 'running', scopes, tenant: 'default' });
      const { documentId } = await submitText(platform.client, {
        knowledgeBase: 'red',
        sourceId: 'new.md',
        text: 'A new engine in the harbour.',
      });
      expect((await search()).map((hit) => hit.documentId)).toContain(documentId);
      expect((await rebuilt).json).toMatchObject({ documents: 6 });
      expect(await verify()).toMatchObject({ clean: true });
      await platform.client.documents.remove(documentId);
      expect([await search(), await sets()]).toEqual([before, kept]);
    });

    it('is paused and cancelled like one of everything', async () => {
      const rebuilt = platform.ask('POST /v1/admin/rebuild', { json: { scopes, maxEventsPerSecond: 1 } });
      rebuilt.catch(() => undefined);
      await running();
      expect((await platform.ask(PAUSE)).json).toMatchObject({ state: 'paused', scopes });
      expect((await platform.ask(RESUME)).json).toMatchObject({ state: 'running', scopes });
      expect((await platform.ask(CANCEL)).json).toMatchObject({ state: 'cancelled', scopes });
      expectProblem(await rebuilt, 409, 'Conflict');
      expect(await verify()).toMatchObject({ clean: true });
    });

    it('can be killed at any time, and be repeated', async () => {
      const before = await search();
      for (const ms of [0, 20, 40, 80, 160]) {
        const headers = { authorization: `Bearer ${platform.key}`, 'content-type': 'application/json' };
        fetch(`${platform.url}/v1/admin/rebuild`, { method: 'POST', headers, body: JSON.stringify({ scopes }) }).catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, ms));
        await platform.kill();
        await start();
        expect([await search(), (await sets()).length <= 1]).toEqual([before, true]);
        expect(await verify()).toMatchObject({ clean: true });
      }
      expect(await platform.client.operations.rebuild({ scopes: ['team:red', 'deployment'] })).toMatchObject({ documents: 25 });
      expect([await search(), (await verify()).clean]).toEqual([before, true]);
    });
  });

  it.each([
    ['paused', async () => void (await platform.client.operations.pauseRebuild())],
    [
      'writing',
      () =>
        eventually('it has written something', async () => {
          const { positions } = await platform.client.operations.rebuildStatus();
          return (positions?.done ?? 0) > 10 || undefined;
        }),
    ],
  ])('that is killed while it is %s leaves the live read models, and the next start deletes what it built', async (_, reached) => {
    const before = await search();
    const kept = [basename(await currentReadModels(data, ROOT))];
    await startedWithoutAnswer(10);
    await reached();
    expect((await sets()).length).toBe(kept.length + 1);
    await platform.kill();
    await start();
    expect(await sets()).toEqual(kept);
    expect(await platform.client.operations.rebuildStatus()).toEqual({ state: 'none' });
    expect(await search()).toEqual(before);
    expect(await platform.client.operations.verify()).toMatchObject({ clean: true });
  });
});
