import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import type { LineageReceipt } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import { submitText } from '@palimpsest/e2e-support/submit';
import { checkReceipt } from '@palimpsest/proofs';
import { eventually } from '@palimpsest/test-kit/eventually';
import { unnoticedChanges } from './change-something.ts';

const FIRST = '# Holidays\n\nThere are 30 days of holiday a year.\n';
const SECOND = '# Holidays\n\nThere are 31 days of holiday a year.\n';
const BUILT_IN = 'onnx:all-minilm-l6-v2-int8/384';
const SETTINGS = { PALIMPSEST_CHECKPOINT_SECONDS: '1' };

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('The proofs of an installation', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let documentId: string;
  const start = async (): Promise<void> => void (platform = await PlatformUnderTest.start(data, { ...standIn.settings(), ...SETTINGS }));
  const search = async (): Promise<string> => (await platform.client.search({ query: 'days of holiday', topK: 5 })).traceId;
  const receiptOf = (traceId: string): Promise<LineageReceipt> =>
    eventually('the search is on the log', async () => {
      const answer = await platform.ask(`POST /v1/retrievals/${traceId}/receipt`, { json: {} });
      return answer.status === 200 ? (answer.json as unknown as LineageReceipt) : undefined;
    });
  const problemsOf = (receipt: unknown, source?: string): readonly string[] => {
    const checked = checkReceipt(receipt, source === undefined ? undefined : Buffer.from(source));
    return 'problems' in checked ? checked.problems : [];
  };

  beforeAll(async () => {
    [data, standIn] = [await aDataFolder(), await EmbeddingStandIn.open()];
    await start();
    ({ documentId } = await submitText(platform.client, { sourceId: 'holidays.md', text: FIRST }));
    await submitText(platform.client, { sourceId: 'travel.md', text: 'Trains are booked by the office.' });
  });

  afterAll(() => platform.stop());

  it('show where a result came from, also after the document was replaced and deleted and the model was changed', async () => {
    const first = await receiptOf(await search());
    await submitText(platform.client, { sourceId: 'holidays.md', text: SECOND });
    const second = await receiptOf(await search());
    await platform.client.swaps.start('deployment', { embeddingVersion: BUILT_IN });
    await eventually('the other model serves', async () => {
      const { generations } = await platform.client.swaps.get('deployment');
      return generations.find(({ status }) => status === 'active')?.embeddingVersion === BUILT_IN || undefined;
    });
    const swapped = await receiptOf(await search());
    await platform.client.documents.remove(documentId);
    for (const [receipt, text, version] of [
      [first, FIRST, 1],
      [second, SECOND, 2],
      [swapped, SECOND, 2],
    ] as const) {
      expect(problemsOf(receipt, text)).toEqual([]);
      expect(problemsOf(receipt, 'another text')).toEqual(['no result comes from this file']);
      const hit = receipt.hits.find((each) => each.documentId === documentId);
      expect(hit).toMatchObject({ version, source: { sha256: sha256(text), bytes: text.length }, text: { content: text.trim() } });
      expect(hit?.events.vector === undefined).toBe(receipt !== swapped);
    }
    const again = await receiptOf(first.traceId);
    expect(problemsOf(again)).toEqual([]);
    expect(again.hits.find((each) => each.documentId === documentId)?.events).toEqual(
      first.hits.find((each) => each.documentId === documentId)?.events,
    );
    const { publicKey } = await platform.client.operations.signingKey();
    expect(first.publicKey).toBe(publicKey);
  });

  it('include no receipt in which 1 of 1,000 changes goes unnoticed', async () => {
    const receipt = await receiptOf(await search());
    const random = new SeededRandom(16);
    expect(unnoticedChanges(receipt, (changed) => problemsOf(changed).length === 0, random)).toEqual([]);
  });

  it('give a receipt only to callers who may see the search', async () => {
    const traceId = await search();
    await receiptOf(traceId);
    const mine = (await platform.client.operations.createApiKey({ name: 'reader', roles: ['reader'], teams: [] })).key;
    for (const key of [mine])
      expectProblem(await platform.ask(`POST /v1/retrievals/${traceId}/receipt`, { key, json: {} }), 404, 'NotFound');
    expectProblem(await platform.ask('POST /v1/retrievals/01a21f2a-cfeb-74b4-9403-be3239ada940/receipt', { json: {} }), 404, 'NotFound');
    expectProblem(await platform.ask(`POST /v1/retrievals/${traceId}/receipt`, { json: { chunk: '0'.repeat(32) } }), 404, 'NotFound');
    expectProblem(await platform.ask('POST /v1/admin/verify-log', { key: mine, json: {} }), 403, 'Forbidden');
  });

  it('find nothing in a log that nothing was done to, and that continues an earlier one', async () => {
    const check = () => platform.client.operations.verifyLog();
    const first = await eventually('everything is signed', async () => {
      const found = await check();
      return (found.last?.number ?? 0) > 1 ? found : undefined;
    });
    expect(first).toMatchObject({ intact: true, findings: [] });
    const { number = 0, digest = '' } = first.last ?? {};
    expect(await platform.client.operations.verifyLog({ known: { number, digest } })).toMatchObject({ intact: true });
    const other = await platform.client.operations.verifyLog({ known: { number, digest: 'f'.repeat(64) } });
    expect([other.intact, other.findings[0]?.message]).toEqual([false, expect.stringContaining('not the one that you know')]);
  });

  // On services, the log is a server; its records are changed in the unit tests.
  if (!DISTRIBUTED)
    it.each(['changed', 'removed'] as const)('name the first record that was %s in the file of the log', async (kind) => {
      await eventually('everything is signed', async () => (await platform.client.operations.verifyLog()).unsigned < 5 || undefined);
      await platform.stop();
      const database = new DatabaseSync(join(data, 'log', 'events.db'));
      const type = kind === 'changed' ? 'DocumentSubmitted' : 'AccessRecorded';
      const [before, row] = database
        .prepare(
          'SELECT e.*, s.name FROM events e JOIN streams s ON s.id = e.stream JOIN types t ON t.id = e.type WHERE t.name = ? ORDER BY position LIMIT 2',
        )
        .all(type) as Record<string, string | number | Uint8Array>[];
      if (before === undefined || row === undefined) throw new Error(`fewer than two events ${type}`);
      if (kind === 'removed') database.prepare('DELETE FROM events WHERE position = ?').run(Number(row['position']));
      else {
        // Covers up who submitted a document, and knows how the file is checked for damage.
        const metadata = String(row['metadata']).replace(/"actor":"[^"]*"/, '"actor":"key:another"');
        database
          .prepare('UPDATE events SET metadata = ?, checksum = ? WHERE position = ?')
          .run(metadata, checksumOf({ ...row, metadata }, type), Number(row['position']));
      }
      database.close();
      await start();
      const found = await platform.client.operations.verifyLog();
      expect([found.intact, found.findings.filter((finding) => finding.kind === kind)]).toMatchObject([
        false,
        [{ kind, position: String(row['position']) }],
      ]);
    });
});

/** The checksum that the log keeps against damage: it is no secret. */
const checksumOf = (row: Record<string, string | number | Uint8Array>, type: string): number => {
  const id = Buffer.from(row['id'] as Uint8Array).toString('hex');
  const place = [row['position'], row['name'], row['revision'], row['recorded_at'], type, id].join('\n');
  return crc32(`\n${row['metadata']}`, crc32(`\n${row['data']}`, crc32(place)));
};
