import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { EmbeddingStandIn } from './embedding-stand-in.ts';
import { eventually, pause } from './eventually.ts';
import { aDataFolder, killWhileStarting, PlatformUnderTest } from './platform-under-test.ts';
import { recordedEvents, type RecordedEvent } from './recorded-events.ts';

const KILLS = 20;
const UPLOADERS = 4;
const LEAST_DOCUMENTS = 60;
const REPORT = fileURLToPath(new URL('../../../libs/adapters/documents/test/fixtures/report.pdf', import.meta.url));

type Upload = Readonly<{ sourceId: string; word: string; content: Uint8Array }>;
/** What an uploader was told: accepted means that it must never be lost. */
type Acknowledged = Readonly<{ sourceId: string; word: string; documentId: string; version: number }>;

/** Consonants only, so that every format and analyser leaves it whole, and no two have a stem in common. */
const word = (n: number): string => `zq${String(n).padStart(5, '0').replaceAll(/\d/g, (digit) => 'bcdfghjklm'[Number(digit)] ?? '')}x`;

/** A small document of one of five kinds, with a word that no other has; the PDF is told apart by its name. */
const upload = (n: number, pdf: Uint8Array): Upload => {
  const unique = word(n);
  const prose = `This is about ${unique}, and about little else. `;
  switch (n % 5) {
    case 0:
      return { sourceId: `${unique}.txt`, word: unique, content: Buffer.from(prose.repeat(30)) };
    case 1:
      return { sourceId: `${unique}.md`, word: unique, content: Buffer.from(`# ${unique}\n\n${prose.repeat(12)}\n\n## More of ${unique}\n\n${prose.repeat(12)}`) };
    case 2:
      return { sourceId: `${unique}.html`, word: unique, content: Buffer.from(`<html><title>Page</title><body><main><h1>Page</h1><p>${prose}</p></main></body></html>`) };
    case 3:
      return { sourceId: `${unique}.csv`, word: unique, content: Buffer.from(`name,value\n${unique},1\nother,2\n`) };
    default:
      return { sourceId: `${unique}.pdf`, word: 'report', content: pdf };
  }
};

describe('a process that is killed again and again', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let events: readonly RecordedEvent[];
  const journal: Acknowledged[] = [];

  const settings = () => ({ ...standIn.settings(), PALIMPSEST_INGESTION_CONCURRENCY: '3' });
  const start = (ready: boolean) => PlatformUnderTest.start(data, settings(), { ready });

  /** Sends one document until it is acknowledged, to whichever process is there; a repetition may be told "skipped". */
  const deliver = async ({ sourceId, word: unique, content }: Upload, ended: () => boolean): Promise<void> => {
    while (!ended()) {
      try {
        const form = new FormData();
        form.append('sourceId', sourceId);
        form.append('file', new File([content as Uint8Array<ArrayBuffer>], sourceId));
        const { status, json } = await platform.ask('POST /v1/documents', { body: form });
        const [submitted] = (json['documents'] ?? []) as { documentId: string; version: number }[];
        if (status === 202 && submitted) return void journal.push({ sourceId, word: unique, ...submitted });
      } catch {
        // Nobody there, or gone in the middle of it: not acknowledged, so sent again.
      }
      await pause(30);
    }
  };

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    standIn.beforeAnswer = () => pause(Math.random() * 30);
    const pdf = new Uint8Array(await readFile(REPORT));
    platform = await start(false);
    let next = 0;
    let over = false;
    const uploaders = Array.from({ length: UPLOADERS }, async () => {
      while (!over) {
        await deliver(upload(next++, pdf), () => over);
        // A few for each life of the process, so that most kills meet work in every state.
        await pause(Math.random() * 300);
      }
    });
    for (let kill = 0; kill < KILLS; kill++) {
      // Some lives are long enough to finish what is under way, the parser's own start included; some are not.
      await pause(Math.random() * 1_500);
      await platform.kill();
      // Now and then the next one dies before it even listens.
      if (kill % 3 === 2) {
        kill++;
        await killWhileStarting(data, settings(), 300 + Math.random() * 1_500);
      }
      platform = await start(false);
    }
    await eventually('enough is acknowledged', () => Promise.resolve(journal.length >= LEAST_DOCUMENTS ? true : undefined));
    over = true;
    await Promise.all(uploaders);
    await eventually('everything is worked off', async () => {
      const { status, json } = await platform.ask('GET /v1/status');
      const { pending = 1, processing = 1 } = (json['documents'] ?? {}) as Record<string, number>;
      const { depth } = (json['queue'] ?? {}) as { depth?: number };
      return status === 200 && json['ready'] === true && pending + processing + (depth ?? 1) === 0 ? true : undefined;
    }, 90_000);
    events = await recordedEvents(data);
  }, 240_000);

  const ofType = (type: string): readonly RecordedEvent[] => events.filter((event) => event.type === type);
  const versionOf = ({ data: { documentId, version } }: RecordedEvent): string => `${String(documentId)} ${String(version)}`;

  it('has lost nothing that it acknowledged, and has each of it indexed', async () => {
    expect(journal.length).toBeGreaterThanOrEqual(LEAST_DOCUMENTS);
    const indexed = new Set<string>();
    for await (const { documentId, version, indexedVersion, status } of platform.client.documents.listAll({ status: 'indexed' }))
      if (status === 'indexed' && indexedVersion === version) indexed.add(documentId);
    expect(journal.filter(({ documentId }) => !indexed.has(documentId))).toEqual([]);
    expect(ofType('DocumentFailed')).toEqual([]);
  });

  it('has indexed every version exactly once', () => {
    const submitted = ofType('DocumentSubmitted').map(versionOf);
    const indexed = ofType('DocumentIndexed').map(versionOf);
    expect(new Set(submitted).size).toBe(submitted.length);
    expect([...indexed].sort()).toEqual([...submitted].sort());
    // What was sent twice, since the first answer got lost, was skipped or found under way: never a second version.
    expect(new Set(submitted.map((each) => each.split(' ')[0])).size).toBe(submitted.length);
  });

  it('has recorded no chunk twice', () => {
    const chunks = ofType('KnowledgeChunkIndexed').map(({ data: { chunkId } }) => String(chunkId));
    expect(new Set(chunks).size).toBe(chunks.length);
    const named = ofType('DocumentIndexed').flatMap(({ data: { chunks: list } }) => (list as { chunkId: string }[]).map(({ chunkId }) => chunkId));
    expect([...named].sort()).toEqual([...chunks].sort());
  });

  it('shows in its catalogue what is on its log', async () => {
    const { documents, chunks } = await platform.client.operations.status();
    expect(documents).toMatchObject({ total: ofType('DocumentSubmitted').length, indexed: ofType('DocumentIndexed').length, failed: 0 });
    expect(chunks).toBe(ofType('KnowledgeChunkIndexed').length);
    expect(await platform.client.operations.verify()).toMatchObject({ clean: true, differences: [] });
  });

  it('finds each document by its word', async () => {
    for (const { word: unique, documentId, sourceId } of journal.filter(({ sourceId }) => !sourceId.endsWith('.pdf'))) {
      const { hits } = await platform.client.search({ query: unique, strategy: 'SparseOnly', topK: 50 });
      expect({ sourceId, found: [...new Set(hits.map((hit) => hit.documentId))] }).toEqual({ sourceId, found: [documentId] });
    }
  });

  it('told to stop in the middle of work, ends well, and goes on where it was', async () => {
    standIn.beforeAnswer = () => pause(150);
    const before = journal.length;
    for (let n = 10_000; n < 10_008; n++) await deliver(upload(n, new Uint8Array(await readFile(REPORT))), () => false);
    expect(await platform.stop()).toMatchObject({ code: 0, signal: null });
    standIn.beforeAnswer = () => Promise.resolve();
    platform = await start(true);
    const later = journal.slice(before);
    const { documents, gone } = await platform.client.waitFor(later, { pollMs: 20 });
    expect({ gone, statuses: documents.map(({ status }) => status) }).toEqual({ gone: [], statuses: Array(later.length).fill('indexed') });
    expect((await platform.client.operations.verify()).clean).toBe(true);
    events = await recordedEvents(data);
    const indexed = ofType('DocumentIndexed').map(versionOf);
    expect(new Set(indexed).size).toBe(indexed.length);
  });
});
