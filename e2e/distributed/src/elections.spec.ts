import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '@palimpsest/foundation';
import { eventStoreCluster, eventually, type EventStoreCluster } from '@palimpsest/test-kit';
import { startInstallation, type Installation } from '../../../tools/distributed/installation.mjs';
import { ask } from '@palimpsest/e2e-support/ask';
import { distributedServers } from '@palimpsest/e2e-support/distributed-under-test';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder } from '@palimpsest/e2e-support/platform-under-test';
import { afterSuite } from '@palimpsest/e2e-support/tidy-up';
import { startIngest } from './start-ingest.ts';

/** `npm run test:elections` uses 614 documents and 10 changes. */
const DOCUMENTS = Number(process.env['ELECTIONS_DOCUMENTS'] ?? 60);
const CHANGES = Number(process.env['ELECTIONS_CHANGES'] ?? 2);
/** Longer than a request waits for the log, so that callers get errors. */
const ELECTION_MS = 12_000;
const FROZEN_MS = 18_000;
const LONG = 1_800_000;

type Refusal = Readonly<{ status: number; retryAfter: string | null; body: string }>;

/** Words that only the platform and its operators know: streams, tenants, servers. */
const INTERNAL = /document-|knowledge_base-|palimpsest\/|127\.0\.0\.1|EventStore|:\d{4,5}\b/;

describe('services on a cluster whose leader changes repeatedly', () => {
  let installation: Installation;
  let cluster: EventStoreCluster;
  let folder: string;
  let files: string;

  beforeAll(async () => {
    const servers = distributedServers();
    if (!servers) throw new Error('the servers of the run are missing: run the suite with `npm run test:distributed`');
    cluster = await eventStoreCluster({ electionMs: ELECTION_MS });
    afterSuite(() => cluster.dispose());
    folder = await aDataFolder();
    files = join(folder, 'documents');
    await mkdir(files, { recursive: true });
    for (let at = 0; at < DOCUMENTS; at++)
      await writeFile(join(files, `${at}.md`), `# Document ${at}\n\nThe keeper of lighthouse ${at} polishes lamp ${at * 7}.\n`);
    const settings = { ...(await EmbeddingStandIn.open()).settings(), PALIMPSEST_KAFKA_PARTITIONS: '4', PALIMPSEST_VECTOR_SHARES: '4' };
    installation = await startInstallation({
      servers: { ...servers, eventStore: { address: cluster.url, lines: {} } },
      folder: join(folder, 'services'),
      settings,
    });
    afterSuite(() => installation.kill());
    await eventually(
      'the services are ready',
      async () => (await ask(installation.url, 'GET /v1/status', { key: installation.key })).status === 200 || undefined,
      90_000,
    );
  }, LONG);

  it(
    `accept and process all ${DOCUMENTS} documents of one ingest during ${CHANGES} changes`,
    async () => {
      let done = false;
      const refusals: Refusal[] = [];
      const submitting = submitSequentially(() => done, refusals);
      const ingest = startIngest(installation, files, folder);
      for (let change = 0; change < CHANGES; change++) {
        // Spreads the changes over the whole ingestion.
        const sent = Math.floor((change * DOCUMENTS) / (CHANGES + 1));
        await eventually(`${sent} documents were sent`, async () => ingest.sent() >= sent || ingest.ended() || undefined, LONG);
        if (ingest.ended()) {
          done = true;
          expect(await ingest.end).toBe('running until all changes are done');
        }
        await (change % 2 === 0 ? cluster.killLeader() : cluster.freezeLeader(FROZEN_MS));
      }
      const { code, answer, stderr } = await ingest.end;
      done = true;
      const submitted = await submitting;
      expect({ code, answer }).toEqual({
        code: 0,
        answer: expect.objectContaining({ files: DOCUMENTS, indexed: DOCUMENTS, failed: 0, notAccepted: 0 }),
      });
      expect(stderr).toMatch(/the server is not available, next try in|sent/);

      const counts = await eventually(
        'everything is processed',
        async () => {
          const { documents } = (await ask(installation.url, 'GET /v1/status', { key: installation.key })).json as {
            documents?: Record<string, number>;
          };
          return documents?.['total'] === DOCUMENTS + submitted && documents['indexed'] === documents['total'] ? documents : undefined;
        },
        LONG,
      );
      expect(counts).toMatchObject({ failed: 0, pending: 0, processing: 0 });
      expect(await ask(installation.url, 'POST /v1/admin/verify', { key: installation.key })).toMatchObject({
        status: 200,
        json: { clean: true, differences: [] },
      });

      // A caller without retries sees that the log is not available, and no internal details.
      // A real cluster may elect a leader before a request fails.
      if (!cluster.isReal) expect(refusals.length).toBeGreaterThan(0);
      for (const refusal of refusals) {
        expect(refusal).toMatchObject({
          status: 503,
          retryAfter: expect.stringMatching(/^[1-9]/),
          body: expect.stringMatching(/"code":"(Unavailable|NotCaughtUp)"/),
        });
        expect(refusal.body).not.toMatch(INTERNAL);
      }
    },
    LONG,
  );

  /** Submits documents sequentially until `isDone`, each until it is accepted. Returns their number. */
  const submitSequentially = async (isDone: () => boolean, refusals: Refusal[]): Promise<number> => {
    for (let at = 0; ; at++) {
      if (isDone()) return at;
      for (;;) {
        const { status, headers, text } = await ask(installation.url, 'POST /v1/documents', {
          key: installation.key,
          json: { sourceId: `submitted-${at}`, text: `Submitted ${at}.` },
        });
        if (status === 202) break;
        refusals.push({ status, retryAfter: headers.get('retry-after'), body: text });
        // Any other status is a permanent refusal; retrying would loop forever.
        if (status !== 503) return at;
      }
      await pause(50);
    }
  };
});
