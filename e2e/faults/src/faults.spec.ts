import { appendFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PalimpsestClient, type DocumentView, type VerifyResult } from '@palimpsest/client';
import { pause } from '@palimpsest/foundation';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { startInstallation, type Installation } from '../../../tools/distributed/installation.mjs';
import { startServers, type Servers } from '../../../tools/distributed/servers.mjs';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { afterSuite } from '@palimpsest/e2e-support/tidy-up';
import { figure, rounded } from '@palimpsest/e2e-support/figures';
import { Asker } from './askers.ts';
import { isParseFailure, recorded, duplicates, type Recorded } from './recorded.ts';
import { Recovery } from './recovery.ts';
import { PARTITIONS } from './redelivery.ts';
import { scheduleOf } from './schedule.ts';
import { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import { ServerFaults } from './server-faults.ts';
import { SERVICES, Supervisor } from './supervisor.ts';
import { createTenantKeys, type TenantKeys } from './tenant-keys.ts';
import { failuresOf, undisturbedRun, type Outcome } from './undisturbed-run.ts';
import { Released, Uploaders } from './uploaders.ts';
import { allUploads, markersOf, TENANTS, type Tenant } from './uploads.ts';

const wholeFrom = (variable: string, byDefault: number): number => {
  const value = Number(process.env[variable] ?? byDefault);
  if (!Number.isInteger(value) || value < 1) throw new InvalidValue(variable, 'a whole number, at least 1', process.env[variable]);
  return value;
};
/** Use fewer during development; the suite guarantees its claims only with 50. */
const KILLS_PER_SERVICE = wholeFrom('PALIMPSEST_FAULT_KILLS', 50);
const SEED = wholeFrom('PALIMPSEST_FAULT_SEED', 20_261_122);
/** An optional file for the logs of the services. */
const LOG = process.env['PALIMPSEST_FAULT_LOG'];
const MODELS = ['first-model', 'second-model'] as const;
const REPLICAS = { ingestion: 2, reembedding: 1, query: 2 };
const UPLOADERS = 4;
const PROCESSED_WITHIN_MS = 15 * 60_000;
/** The time to re-embed each text of the moving scope, so that faults happen during the re-embedding. */
const SLOW_TEXT_MS = 100;

/**
 * One scenario: an installation ingests 500 real documents and serves searches while its services are killed, its servers are killed,
 * disconnected or failing, and one scope moves to another model. The checks run after the faults, when all work is done.
 */
describe(`an installation whose services are killed ${KILLS_PER_SERVICE} times each, and whose servers fail`, () => {
  const uploads = allUploads();
  let servers: Servers;
  let standIn: EmbeddingStandIn;
  let installation: Installation;
  let supervisor: Supervisor;
  let uploaders: Uploaders;
  let askers: readonly Asker[];
  let keys: TenantKeys;
  let events: readonly Recorded[];
  let verified: readonly VerifyResult[];
  let failures: Outcome['failures'];
  let killsDuringReembedding: number;
  let isDone = false;

  const clientOf = (tenant: Tenant): PalimpsestClient => new PalimpsestClient({ url: installation.url, apiKey: keys[tenant], retries: 20 });
  const say = (line: string): void => void process.stdout.write(`  faults: ${line}\n`);

  const untilProcessed = async (tenants: readonly Tenant[]): Promise<void> => {
    for (const tenant of tenants) {
      const known = new Set(uploaders.journal.of(tenant).map(({ documentId }) => documentId)).size;
      await eventually(
        `all documents of ${tenant} are processed`,
        async () => {
          const { documents } = await clientOf(tenant).operations.status();
          // The responding replica may not know all of them yet.
          if (documents.total === known && documents.pending + documents.processing === 0) return true;
          await pause(300);
          return undefined;
        },
        PROCESSED_WITHIN_MS,
      );
    }
  };
  const reembedded = (): Promise<true> =>
    eventually(
      'the scope is re-embedded',
      async () => {
        await pause(500);
        // The replica may be killed during the request.
        const progress = await clientOf('moving')
          .operations.reembedProgress('deployment')
          .catch(() => undefined);
        return isDone || (progress?.generation === 'g2' && progress.state === 'idle') ? true : undefined;
      },
      4 * PROCESSED_WITHIN_MS,
    );
  const start = async (folder: string, model: string): Promise<void> => {
    // An interrupted attempt counts, because a document may crash a worker. Here the kills have another cause: allow more attempts.
    const settings = {
      ...standIn.settings(model),
      PALIMPSEST_KAFKA_PARTITIONS: PARTITIONS,
      PALIMPSEST_INGESTION_ATTEMPTS: '20',
      PALIMPSEST_LOG_LEVEL: 'warn',
    };
    const started = await startInstallation({
      servers,
      folder,
      settings,
      replicas: REPLICAS,
      ...(LOG === undefined ? {} : { onLine: (name, text) => appendFileSync(LOG, text.replaceAll(/^(?=.)/gm, `${name} `)) }),
    });
    afterSuite(() => started.kill());
    installation = started;
  };

  beforeAll(async () => {
    const begun = performance.now();
    const folder = await mkdtemp(join(tmpdir(), 'palimpsest-faults-'));
    afterSuite(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    standIn = await EmbeddingStandIn.open();
    servers = await startServers(join(folder, 'servers'), { brokers: 1, env: {} });
    afterSuite(() => servers.stop());

    // Before the faults: a scope with vectors of the first model. Then the installation is started with the second model.
    await start(join(folder, 'services'), MODELS[0]);
    keys = await createTenantKeys(new PalimpsestClient({ url: installation.url, apiKey: installation.key, retries: 20 }));
    uploaders = new Uploaders(installation.url, keys);
    for (const upload of uploads.before) await uploaders.deliver(upload, () => isDone);
    await untilProcessed(['moving']);
    const { journal } = uploaders;
    await installation.stop();
    const slow = new Set(standIn.texts);
    standIn.beforeAnswer = (texts) => pause(texts.filter((text) => slow.has(text)).length * SLOW_TEXT_MS);
    await start(join(folder, 'services'), MODELS[1]);
    supervisor = new Supervisor(installation);
    afterSuite(async () => {
      isDone = true;
      await supervisor.stop();
    });
    say(
      `an installation with ${journal.entries.length} documents of the first model, after ${rounded((performance.now() - begun) / 1000)}`,
    );

    const random = new SeededRandom(SEED);
    uploaders = new Uploaders(installation.url, keys, journal);
    const askerOf = (tenant: Tenant, lexicalOnly = false): Asker =>
      new Asker(tenant, installation.url, keys[tenant], random.fork(), lexicalOnly);
    askers = [askerOf('north'), askerOf('south'), askerOf('south'), askerOf('moving', true)];
    const recovery = new Recovery(supervisor, uploaders, keys.watch);
    const acts = scheduleOf({
      supervisor,
      recovery,
      faults: new ServerFaults(servers, installation.namespace),
      random,
      killsPerService: KILLS_PER_SERVICE,
    });

    const [released, faultsBegun] = [new Released(uploads.duringFaults), performance.now()];
    const working = [released.deliverAll(uploaders, UPLOADERS, () => isDone), ...askers.map((asker) => asker.askUntil(() => isDone))];
    await eventually(
      'the re-embedding has started',
      async () =>
        (await clientOf('moving')
          .operations.reembed('deployment')
          .catch(() => undefined)) && true,
    );
    const moved = reembedded().then(() => (killsDuringReembedding = supervisor.kills.reembedding));
    for (const [n, { kind, run }] of acts.entries()) {
      released.upTo((n + 1) / acts.length);
      const actBegun = performance.now();
      await run();
      say(
        `${n + 1} of ${acts.length}: ${kind}, ${rounded((performance.now() - actBegun) / 1000)}; ${journal.entries.length} acknowledged, ${supervisor.kills.query} kills of query`,
      );
    }
    figure('the faults took', rounded((performance.now() - faultsBegun) / 1000));
    const faultsEnded = performance.now();
    await working[0];
    await untilProcessed(TENANTS);
    await moved;
    isDone = true;
    await Promise.all(working);
    figure('all processed after', rounded((performance.now() - faultsEnded) / 1000));
    say(
      `all processed ${rounded((performance.now() - faultsEnded) / 1000)} after the last fault; refused starts: ${supervisor.refusedStarts.length}`,
    );
    say(`\n${recovery.table}`);

    const operators = (await supervisor.addressesOf('query')).map(
      (url) => new PalimpsestClient({ url, apiKey: installation.key, retries: 20 }),
    );
    verified = [];
    for (const { operations } of operators) verified = [...verified, await operations.verify()];
    events = await recorded(servers.eventStore.address, installation.namespace);
    failures = await failuresOf(clientOf);
    figure('all but the embedded run took', rounded((performance.now() - begun) / 1000));
    figure('refused starts', supervisor.refusedStarts.length);
    figure('killed during a start', supervisor.killsDuringStart);
    figure('responses to uploads', uploaders.wrong.summary);
    for (const { tenant, wrong } of askers) figure(`responses to ${tenant}`, wrong.summary);
  });

  it('had the configured number of kills, and no process ended on its own', () => {
    for (const service of SERVICES) expect(supervisor.kills[service]).toBeGreaterThanOrEqual(KILLS_PER_SERVICE);
    expect(supervisor.killsDuringStart).toBeGreaterThan(0);
    expect(supervisor.deaths).toEqual([]);
  });

  it('lost no acknowledged document: each is indexed, or failed because of its file', async () => {
    const { journal } = uploaders;
    expect(new Set(journal.entries.map(({ upload }) => upload)).size).toBeGreaterThanOrEqual(
      uploads.duringFaults.length + uploads.before.length,
    );
    for (const tenant of TENANTS) {
      const views = new Map<string, DocumentView>();
      for await (const view of clientOf(tenant).documents.listAll()) views.set(view.documentId, view);
      const wrong = journal.of(tenant).filter(({ documentId, version }) => {
        const view = views.get(documentId);
        const indexed = view?.status === 'indexed' && view.version === version && view.indexedVersion === version;
        return !indexed && !(view?.status === 'failed' && isParseFailure(view.reason));
      });
      expect(wrong.map(({ upload, documentId }) => ({ source: upload.sourceId, view: views.get(documentId) }))).toEqual([]);
      // There are no other documents.
      expect([...views.keys()].sort()).toEqual([...new Set(journal.of(tenant).map(({ documentId }) => documentId))].sort());
    }
    expect(await new PalimpsestClient({ url: installation.url, apiKey: installation.key }).operations.deadLetters()).toEqual([]);
  });

  it('submitted and indexed each version once, and recorded no chunk twice with the same embedding version', () => {
    const version = (data: Recorded['data']): string => `${String(data['documentId'])} version ${String(data['version'])}`;
    const chunk = (data: Recorded['data']): string => `${String(data['chunkId'])} as ${String(data['embeddingVersion'])}`;
    expect(duplicates(events, ['DocumentSubmitted'], version)).toEqual([]);
    expect(duplicates(events, ['DocumentIndexed'], version)).toEqual([]);
    expect(duplicates(events, ['KnowledgeChunkIndexed', 'KnowledgeChunkReembedded'], chunk)).toEqual([]);
    const ofType = (type: string) => events.filter((event) => event.type === type).map(({ data }) => version(data));
    expect([...ofType('DocumentIndexed'), ...ofType('DocumentFailed')].sort()).toEqual(ofType('DocumentSubmitted').sort());
    figure('chunks', ofType('KnowledgeChunkIndexed').length);
  });

  it('has read models on both query replicas that match the log', () => {
    expect(verified.map(({ clean, differences }) => ({ clean, differences }))).toEqual(
      verified.map(() => ({ clean: true, differences: [] })),
    );
    expect(verified).toHaveLength(REPLICAS.query);
    expect(verified[1]?.partitions).toEqual(verified[0]?.partitions);
  });

  it('has the same documents, chunks and fingerprints as an undisturbed embedded platform', async () => {
    const begun = performance.now();
    standIn.beforeAnswer = () => Promise.resolve();
    const { before } = uploads;
    const undisturbed = await undisturbedRun(
      standIn,
      MODELS,
      before,
      uploaders.journal.uploads.filter((upload) => !before.includes(upload)),
    );
    figure('the undisturbed embedded run took', rounded((performance.now() - begun) / 1000));
    const sorted = ({ partitions }: VerifyResult) =>
      [...partitions].sort((a, b) => (JSON.stringify([a.tenant, a.generation]) < JSON.stringify([b.tenant, b.generation]) ? -1 : 1));
    expect(failures).toEqual(undisturbed.failures);
    expect(undisturbed.verified.clean).toBe(true);
    expect(verified.map(sorted)).toEqual(verified.map(() => sorted(undisturbed.verified)));
    figure(
      'partitions',
      sorted(undisturbed.verified)
        .map(({ tenant, generation, chunks }) => `${tenant} ${generation}: ${chunks}`)
        .join(', '),
    );
  });

  it('moved the scope to the second model despite the kills of the re-embedding service', () => {
    expect(killsDuringReembedding).toBeGreaterThan(0);
    expect(verified[0]?.partitions.filter(({ tenant }) => tenant === 'moving').map(({ generation }) => generation)).toEqual(['g1', 'g2']);
    const [again, once] = [
      events.filter(({ type }) => type === 'KnowledgeChunkReembedded').length,
      verified[0]?.partitions.find(({ tenant, generation }) => tenant === 'moving' && generation === 'g2')?.chunks,
    ];
    expect(again).toBe(once);
  });

  it('returned no data of another tenant', () => {
    expect(askers.flatMap(({ leaks }) => leaks)).toEqual([]);
    for (const { tenant, seen } of askers) {
      const own = new Set(uploaders.journal.of(tenant).map(({ documentId }) => documentId));
      expect(seen.size).toBeGreaterThan(0);
      expect([...seen].filter((documentId) => !own.has(documentId))).toEqual([]);
    }
  });

  it('returned correct responses or a Retry-After', () => {
    expect(askers.flatMap(({ wrong }) => wrong.list)).toEqual([]);
    expect(uploaders.wrong.list).toEqual([]);
  });

  it('finds the words of each tenant only for that tenant', async () => {
    for (const caller of TENANTS)
      for (const owner of ['north', 'south', 'moving'] as const)
        for (const marker of markersOf(owner)) {
          const { hits } = await clientOf(caller).search({ query: marker, strategy: 'SparseOnly' });
          expect({ caller, marker, found: hits.map(({ source }) => source) }).toEqual({
            caller,
            marker,
            found: caller === owner ? [`${marker}.txt`] : [],
          });
        }
  });
});
