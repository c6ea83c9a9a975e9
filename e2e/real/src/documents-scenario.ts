import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DocumentView, Hit, RebuildResult, SearchResult, StatusView, Strategy, VerifyResult } from '@palimpsest/client';
import { PARSE_FAILURES } from '@palimpsest/knowledge/ports';
import { eventually } from '@palimpsest/test-kit/eventually';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { palimpsest, type Ran } from './command-line.ts';
import { figure, megabytes, rounded } from '@palimpsest/e2e-support/figures';
import { eventCounts, headOf, duplicates } from './log-on-disk.ts';
import { descendants, isRunning, MemoryWatch } from './process-tree.ts';
import { answers, NOT_YET_FOUND, QUESTIONS } from './questions.ts';

/** The output of `palimpsest ingest --json`. */
type Summary = Readonly<{
  files: number;
  indexed: number;
  skipped: number;
  failed: number;
  accepted: number;
  chunks: number;
  failures: readonly Readonly<{ source: string; code: string; detail: string }>[];
}>;

const STRATEGIES = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] as const satisfies readonly Strategy[];
const HALF_AN_HOUR = 30 * 60_000;
/** Files without text, with a password, or in a format that is not supported. */
const UNREADABLE = 74;

/**
 * One scenario: the command line ingests the real files in a folder into the real process, which is killed during the ingestion. Then
 * the files are searched, and every read model is deleted twice. Each test continues from the previous one.
 */
export const describeDocuments = (documents: string): void => {
  const files = readdirSync(documents, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
  describe(`${files} real documents`, () => scenario(documents, files));
};

const scenario = (documents: string, files: number): void => {
  const memory = new MemoryWatch();
  let data: string;
  let platform: PlatformUnderTest;
  let interrupted: Ran<Summary | undefined>;
  let completed: Ran<Summary>;
  /** The results of each question with each strategy, before the read models were deleted. */
  let foundBefore: readonly (readonly Hit[])[];

  const start = async (): Promise<void> => {
    platform = await PlatformUnderTest.start(data, {}, { ready: false });
    await eventually(
      'the platform is ready',
      async () => (await platform.ask('GET /health/ready')).status === 200 || undefined,
      HALF_AN_HOUR,
    );
  };
  const ingest = <Answer = Summary>() => palimpsest<Answer>(data, 'ingest', documents);
  /** Texts found in the embedding cache (`hits`), and texts that the model embedded (`misses`), since the start. */
  const embeddings = async () => {
    const {
      embeddings: { cache },
    } = (await platform.client.operations.status()) as StatusView & Readonly<{ embeddings: { cache: { hits: number; misses: number } } }>;
    return { hits: cache.hits, misses: cache.misses };
  };
  const all = async (): Promise<readonly DocumentView[]> =>
    (await palimpsest<{ documents: DocumentView[] }>(data, 'documents', 'list', '--limit', '100000')).answer.documents;
  const searchAll = async (): Promise<readonly (readonly Hit[])[]> => {
    const found: (readonly Hit[])[] = [];
    for (const { question } of QUESTIONS)
      for (const strategy of STRATEGIES)
        found.push((await platform.client.search({ query: question, strategy, topK: 10, explain: true })).hits);
    return found;
  };
  const expectClean = async (): Promise<void> => {
    const { answer, code, seconds } = await palimpsest<VerifyResult>(data, 'verify');
    expect({ ...answer, code }).toMatchObject({ code: 0, clean: true, differences: [] });
    expect(answer.partitions).toMatchObject([{ scope: 'deployment', chunks: (await platform.client.operations.status()).chunks }]);
    figure('verify', rounded(seconds));
  };

  beforeAll(async () => {
    data = await aDataFolder();
    await start();
    memory.watch(platform.pid);
    const firstRun = ingest<Summary | undefined>();
    await eventually(
      'a quarter of the files is indexed',
      async () => (await platform.client.operations.status()).documents.indexed >= files / 4 || undefined,
      HALF_AN_HOUR,
    );
    const parsers = descendants(platform.pid);
    await platform.kill();
    interrupted = await firstRun;
    await eventually('the parsers end with the killed process', () => Promise.resolve(!parsers.some(isRunning) || undefined));

    await start();
    memory.watch(platform.pid);
    completed = await ingest();
    const { chunks } = await platform.client.operations.status();
    const seconds = interrupted.seconds + completed.seconds;
    figure('ingestion, killed once', `${rounded(seconds)} for ${files} files, ${chunks} chunks: ${(chunks / seconds).toFixed(1)} chunks/s`);
  });
  afterAll(() => memory.stop());

  it('lead to a clear error of the command line when the server is killed', () => {
    expect(interrupted).toMatchObject({ code: 2, answer: undefined, stderr: expect.stringContaining('no server answers') });
  });

  it('are all counted when the command is run again after the kill', async () => {
    const { failures, ...counts } = completed.answer;
    expect(counts).toMatchObject({ files, accepted: 0, indexed: expect.any(Number) });
    expect(counts.indexed + counts.skipped + counts.failed).toBe(files);
    expect(counts.skipped).toBeGreaterThanOrEqual(files / 4);
    expect(completed.code).toBe(1); // some failed
    expect(failures).toHaveLength(counts.failed);
    expect((await platform.client.operations.status()).documents).toEqual({
      pending: 0,
      processing: 0,
      held: 0,
      indexed: files - counts.failed,
      failed: counts.failed,
      total: files,
    });
  });

  it('are indexed, or failed with a known reason and a sentence', async () => {
    const views = await all();
    expect(views).toHaveLength(files);
    const indexed = views.filter(({ status }) => status === 'indexed');
    expect(indexed.length).toBeGreaterThanOrEqual(files - UNREADABLE);
    for (const { sourceId, chunks, failedChunks } of indexed)
      expect({ sourceId, empty: chunks === 0, failedChunks }).toEqual({ sourceId, empty: false, failedChunks: 0 });
    const failed = views.filter(({ status }) => status !== 'indexed');
    for (const { sourceId, status, reason, detail } of failed) {
      expect({ sourceId, status, detail }).toEqual({ sourceId, status: 'failed', detail: expect.stringMatching(/^[A-Z].*\.$/s) });
      expect(PARSE_FAILURES).toContain(reason);
    }
    const reasons = Object.groupBy(failed, ({ reason = '' }) => reason);
    expect(reasons['password']?.length).toBeGreaterThanOrEqual(11);
    expect(reasons['corrupt']?.map(({ sourceId }) => sourceId) ?? []).toEqual([]);
    figure(
      'documents',
      `${indexed.length} indexed; failed: ${Object.entries(reasons)
        .map(([reason, list]) => `${list?.length} ${reason}`)
        .join(', ')}`,
    );
  });

  it('were each indexed once, and no chunk twice, despite the kill', () => {
    const { DocumentIndexed } = eventCounts(data);
    expect(DocumentIndexed).toBe(files - completed.answer.failed);
    expect(duplicates(data, 'DocumentIndexed', 'version')).toEqual([]);
    expect(duplicates(data, 'KnowledgeChunkIndexed', 'chunkId')).toEqual([]);
  });

  it('need less than 1.5 GB in the main process', () => {
    const { main, tree } = memory.stop();
    figure('max memory', `${megabytes(main)} in the process, ${megabytes(tree)} with its parsers`);
    expect(main).toBeLessThan(1.5e9);
  });

  it('are in the read models as on the log', expectClean);

  it('are skipped by a second run without any embedding', async () => {
    const [position, before] = [headOf(data), await embeddings()];
    const { answer, seconds } = await ingest();
    const { failed, failures } = completed.answer;
    expect(answer).toMatchObject({ files, skipped: files - failed, indexed: 0, chunks: 0, accepted: 0 });
    expect(await embeddings()).toEqual(before);
    // Unreadable files are not parsed again, but reported again.
    expect(answer.failures).toEqual(failures);
    // The audit trail records the requests; the log may be signed meanwhile.
    const { LogCheckpointSigned: _, ...counts } = eventCounts(data, position);
    expect(counts).toEqual({ DocumentSkipped: files, AccessRecorded: expect.any(Number) });
    figure('second run', rounded(seconds));
  });

  it.each(QUESTIONS)('contain the answer: $question', async ({ question, ...expected }) => {
    const { answer } = await palimpsest<SearchResult>(data, 'search', question, '--top', '3');
    const found = answer.hits.map((hit) => ({ source: hit.source, answers: answers(hit, { question, ...expected }) }));
    expect(found).toContainEqual({ source: expect.any(String), answers: true });
  });

  it('are found as before after the folder of the read models was deleted', async () => {
    foundBefore = await searchAll();
    for (const question of NOT_YET_FOUND) {
      const { hits } = await platform.client.search({ query: question.question, topK: 100 });
      figure(`not yet found: ${question.id}`, `rank ${hits.find((hit) => answers(hit, question))?.rank ?? 'over 100'}`);
    }
    const { code } = await platform.stop();
    expect(code).toBe(0);
    rmSync(join(data, 'read-models'), { recursive: true });
    const begun = performance.now();
    await start();
    figure('ready again without read models', rounded((performance.now() - begun) / 1000));
    expect(await embeddings()).toEqual({ hits: 0, misses: 0 });
    expect(await searchAll()).toEqual(foundBefore);
    await expectClean();
  });

  it('are found as before after `palimpsest rebuild`', async () => {
    const before = await embeddings();
    const { answer, code } = await palimpsest<RebuildResult>(data, 'rebuild');
    expect({ code, ...answer }).toMatchObject({ code: 0, documents: files, chunks: (await platform.client.operations.status()).chunks });
    expect(await embeddings()).toEqual(before);
    expect(await searchAll()).toEqual(foundBefore);
    figure('rebuild', rounded(answer.seconds));
  });
};
