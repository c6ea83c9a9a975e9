import { appendFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PalimpsestClient, type DocumentView, type VerifyResult } from '@palimpsest/client';
import { InvalidValue } from '@palimpsest/knowledge';
import { startInstallation, type Installation } from '../../../tools/distributed/installation.mjs';
import { startServers, type Servers } from '../../../tools/distributed/servers.mjs';
import { EmbeddingStandIn } from '../test/embedding-stand-in.ts';
import { eventually, pause } from '../test/eventually.ts';
import { afterSuite } from '../test/tidy-up.ts';
import { figure, rounded } from '../test-real/figures.ts';
import { Asker } from './askers.ts';
import { isParseFailure, recorded, saidTwice, type Recorded } from './recorded.ts';
import { Recovery } from './recovery.ts';
import { PARTITIONS } from './redelivery.ts';
import { scheduleOf } from './schedule.ts';
import { SeededRandom } from './seeded-random.ts';
import { ServerFaults } from './server-faults.ts';
import { SERVICES, Supervisor } from './supervisor.ts';
import { makeTenantKeys, type TenantKeys } from './tenant-keys.ts';
import { failuresOf, undisturbedRun, type Outcome } from './undisturbed-run.ts';
import { Released, Uploaders } from './uploaders.ts';
import { allUploads, markersOf, TENANTS, type Tenant } from './uploads.ts';

const wholeFrom = (variable: string, usual: number): number => {
  const value = Number(process.env[variable] ?? usual);
  if (!Number.isInteger(value) || value < 1) throw new InvalidValue(variable, 'a whole number, at least 1', process.env[variable]);
  return value;
};
/** Fewer while developing; the suite is what it says with 50. */
const KILLS_PER_SERVICE = wholeFrom('PALIMPSEST_FAULT_KILLS', 50);
const SEED = wholeFrom('PALIMPSEST_FAULT_SEED', 20_261_122);
/** A file that takes what the services log, for whoever wants to know more. */
const LOG = process.env['PALIMPSEST_FAULT_LOG'];
const MODELS = ['first-model', 'second-model'] as const;
const REPLICAS = { ingestion: 2, reembedding: 1, query: 2 };
const UPLOADERS = 4;
const QUIET_WITHIN_MS = 15 * 60_000;
/** Each text of the scope that moves takes so long to embed again, so that faults meet the re-embedding. */
const SLOW_TEXT_MS = 100;

/**
 * One story: an installation takes 500 real documents in and answers questions while its services are killed, its servers
 * are killed, cut off or failing, and one scope moves to another model. Then it is left alone, and looked at.
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
  let killsAmidReembedding: number;
  let over = false;

  const clientOf = (tenant: Tenant): PalimpsestClient => new PalimpsestClient({ url: installation.url, apiKey: keys[tenant], retries: 20 });
  const say = (line: string): void => void process.stdout.write(`  faults: ${line}\n`);

  const quiet = async (tenants: readonly Tenant[]): Promise<void> => {
    for (const tenant of tenants) {
      const known = new Set(uploaders.journal.of(tenant).map(({ documentId }) => documentId)).size;
      await eventually(`all of ${tenant} is worked off`, async () => {
        const { documents } = await clientOf(tenant).operations.status();
        // Whoever answers may not have heard of all of them yet.
        if (documents.total === known && documents.pending + documents.processing === 0) return true;
        await pause(300);
        return undefined;
      }, QUIET_WITHIN_MS);
    }
  };
  const reembedded = (): Promise<true> =>
    eventually('the scope is re-embedded', async () => {
      await pause(500);
      // Who is asked may just be being killed.
      const progress = await clientOf('moving').operations.reembedProgress('deployment').catch(() => undefined);
      return over || (progress?.generation === 'g2' && progress.state === 'idle') ? true : undefined;
    }, 4 * QUIET_WITHIN_MS);
  const start = async (folder: string, model: string): Promise<void> => {
    // An attempt that was cut off counts, for a document may be what kills a worker: with so many kills it is not.
    const settings = { ...standIn.settings(model), PALIMPSEST_KAFKA_PARTITIONS: PARTITIONS, PALIMPSEST_INGESTION_ATTEMPTS: '20', PALIMPSEST_LOG_LEVEL: 'warn' };
    const started = await startInstallation({ servers, folder, settings, replicas: REPLICAS, ...(LOG === undefined ? {} : { onLine: (name, text) => appendFileSync(LOG, text.replaceAll(/^(?=.)/gm, `${name} `)) }) });
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

    // Before the faults: a scope with vectors of the first model. Then the installation goes over to the second.
    await start(join(folder, 'services'), MODELS[0]);
    keys = await makeTenantKeys(new PalimpsestClient({ url: installation.url, apiKey: installation.key, retries: 20 }));
    uploaders = new Uploaders(installation.url, keys);
    for (const upload of uploads.before) await uploaders.deliver(upload, () => over);
    await quiet(['moving']);
    const { journal } = uploaders;
    await installation.stop();
    const slow = new Set(standIn.texts);
    standIn.beforeAnswer = (texts) => pause(texts.filter((text) => slow.has(text)).length * SLOW_TEXT_MS);
    await start(join(folder, 'services'), MODELS[1]);
    supervisor = new Supervisor(installation);
    afterSuite(async () => {
      over = true;
      await supervisor.stop();
    });
    say(`an installation with ${journal.entries.length} documents of the first model, after ${rounded((performance.now() - begun) / 1000)}`);

    const random = new SeededRandom(SEED);
    uploaders = new Uploaders(installation.url, keys, journal);
    const asking = (tenant: Tenant, wordsAlone = false): Asker => new Asker(tenant, installation.url, keys[tenant], random.fork(), wordsAlone);
    askers = [asking('north'), asking('south'), asking('south'), asking('moving', true)];
    const recovery = new Recovery(supervisor, uploaders, keys.watch);
    const acts = scheduleOf({ supervisor, recovery, faults: new ServerFaults(servers, installation.namespace), random, killsPerService: KILLS_PER_SERVICE });

    const [released, faultsBegun] = [new Released(uploads.amidFaults), performance.now()];
    const working = [released.deliverAll(uploaders, UPLOADERS, () => over), ...askers.map((asker) => asker.askUntil(() => over))];
    await eventually('the re-embedding is begun', async () => (await clientOf('moving').operations.reembed('deployment').catch(() => undefined)) && true);
    const moved = reembedded().then(() => (killsAmidReembedding = supervisor.kills.reembedding));
    for (const [n, { kind, run }] of acts.entries()) {
      released.upTo((n + 1) / acts.length);
      const actBegun = performance.now();
      await run();
      say(`${n + 1} of ${acts.length}: ${kind}, ${rounded((performance.now() - actBegun) / 1000)}; ${journal.entries.length} acknowledged, ${supervisor.kills.query} kills of query`);
    }
    figure('the faults took', rounded((performance.now() - faultsBegun) / 1000));
    const faultsEnded = performance.now();
    await working[0];
    await quiet(TENANTS);
    await moved;
    over = true;
    await Promise.all(working);
    figure('quiet after', rounded((performance.now() - faultsEnded) / 1000));
    say(`quiet ${rounded((performance.now() - faultsEnded) / 1000)} after the last one; refused starts: ${supervisor.refusedStarts.length}`);
    say(`\n${recovery.table}`);

    const operators = (await supervisor.addressesOf('query')).map((url) => new PalimpsestClient({ url, apiKey: installation.key, retries: 20 }));
    verified = [];
    for (const { operations } of operators) verified = [...verified, await operations.verify()];
    events = await recorded(servers.eventStore.address, installation.namespace);
    failures = await failuresOf(clientOf);
    figure('all but the embedded run took', rounded((performance.now() - begun) / 1000));
    figure('refused starts', supervisor.refusedStarts.length);
    figure('killed amid a start', supervisor.killsAmidStart);
    figure('uploads answered', uploaders.wrong.told);
    for (const { tenant, wrong } of askers) figure(`${tenant} was answered`, wrong.told);
  });

  it('was killed as often as it says, and no process ended by itself', () => {
    for (const service of SERVICES) expect(supervisor.kills[service]).toBeGreaterThanOrEqual(KILLS_PER_SERVICE);
    expect(supervisor.killsAmidStart).toBeGreaterThan(0);
    expect(supervisor.deaths).toEqual([]);
  });

  it('has lost nothing that it acknowledged: each is indexed, or failed for a reason that lies in the file', async () => {
    const { journal } = uploaders;
    expect(new Set(journal.entries.map(({ upload }) => upload)).size).toBeGreaterThanOrEqual(uploads.amidFaults.length + uploads.before.length);
    for (const tenant of TENANTS) {
      const views = new Map<string, DocumentView>();
      for await (const view of clientOf(tenant).documents.listAll()) views.set(view.documentId, view);
      const wrong = journal.of(tenant).filter(({ documentId, version }) => {
        const view = views.get(documentId);
        const indexed = view?.status === 'indexed' && view.version === version && view.indexedVersion === version;
        return !indexed && !(view?.status === 'failed' && isParseFailure(view.reason));
      });
      expect(wrong.map(({ upload, documentId }) => ({ source: upload.sourceId, view: views.get(documentId) }))).toEqual([]);
      // Nor is there anything that nobody sent.
      expect([...views.keys()].sort()).toEqual([...new Set(journal.of(tenant).map(({ documentId }) => documentId))].sort());
    }
    expect(await new PalimpsestClient({ url: installation.url, apiKey: installation.key }).operations.deadLetters()).toEqual([]);
  });

  it('has each version submitted once and indexed once, and no chunk recorded twice with the same vectors', () => {
    const version = (data: Recorded['data']): string => `${String(data['documentId'])} version ${String(data['version'])}`;
    const chunk = (data: Recorded['data']): string => `${String(data['chunkId'])} as ${String(data['embeddingVersion'])}`;
    expect(saidTwice(events, ['DocumentSubmitted'], version)).toEqual([]);
    expect(saidTwice(events, ['DocumentIndexed'], version)).toEqual([]);
    expect(saidTwice(events, ['KnowledgeChunkIndexed', 'KnowledgeChunkReembedded'], chunk)).toEqual([]);
    const ofType = (type: string) => events.filter((event) => event.type === type).map(({ data }) => version(data));
    expect([...ofType('DocumentIndexed'), ...ofType('DocumentFailed')].sort()).toEqual(ofType('DocumentSubmitted').sort());
    figure('chunks', ofType('KnowledgeChunkIndexed').length);
  });

  it('has read models on both query replicas that are what the log says', () => {
    expect(verified.map(({ clean, differences }) => ({ clean, differences }))).toEqual(verified.map(() => ({ clean: true, differences: [] })));
    expect(verified).toHaveLength(REPLICAS.query);
    expect(verified[1]?.partitions).toEqual(verified[0]?.partitions);
  });

  it('has the same documents, chunks and fingerprints as an embedded platform to which nothing happened', async () => {
    const begun = performance.now();
    standIn.beforeAnswer = () => Promise.resolve();
    const { before } = uploads;
    const undisturbed = await undisturbedRun(standIn, MODELS, before, uploaders.journal.uploads.filter((upload) => !before.includes(upload)));
    figure('the undisturbed embedded run took', rounded((performance.now() - begun) / 1000));
    const sorted = ({ partitions }: VerifyResult) => [...partitions].sort((a, b) => (JSON.stringify([a.tenant, a.generation]) < JSON.stringify([b.tenant, b.generation]) ? -1 : 1));
    expect(failures).toEqual(undisturbed.failures);
    expect(undisturbed.verified.clean).toBe(true);
    expect(verified.map(sorted)).toEqual(verified.map(() => sorted(undisturbed.verified)));
    figure('partitions', sorted(undisturbed.verified).map(({ tenant, generation, chunks }) => `${tenant} ${generation}: ${chunks}`).join(', '));
  });

  it('moved the scope to the second model, although those who did so were killed', () => {
    expect(killsAmidReembedding).toBeGreaterThan(0);
    expect(verified[0]?.partitions.filter(({ tenant }) => tenant === 'moving').map(({ generation }) => generation)).toEqual(['g1', 'g2']);
    const [again, once] = [events.filter(({ type }) => type === 'KnowledgeChunkReembedded').length, verified[0]?.partitions.find(({ tenant, generation }) => tenant === 'moving' && generation === 'g2')?.chunks];
    expect(again).toBe(once);
  });

  it('answered nobody with anything of another tenant', () => {
    expect(askers.flatMap(({ leaks }) => leaks)).toEqual([]);
    for (const { tenant, seen } of askers) {
      const own = new Set(uploaders.journal.of(tenant).map(({ documentId }) => documentId));
      expect(seen.size).toBeGreaterThan(0);
      expect([...seen].filter((documentId) => !own.has(documentId))).toEqual([]);
    }
  });

  it('answered as it should, or said when to come again', () => {
    expect(askers.flatMap(({ wrong }) => wrong.list)).toEqual([]);
    expect(uploaders.wrong.list).toEqual([]);
  });

  it('finds the words of each tenant for that tenant alone', async () => {
    for (const asking of TENANTS)
      for (const owner of ['north', 'south', 'moving'] as const)
        for (const marker of markersOf(owner)) {
          const { hits } = await clientOf(asking).search({ query: marker, strategy: 'SparseOnly' });
          expect({ asking, marker, found: hits.map(({ source }) => source) }).toEqual({ asking, marker, found: asking === owner ? [`${marker}.txt`] : [] });
        }
  });
});
