import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { openSqliteMessageBus } from '@palimpsest/adapters-sqlite';
import { Backlog, chunkingSettings, KnowledgeBases, ProcessDocument, startIngestionWorker, SubmitDocument } from '@palimpsest/ingestion';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { recipeWith, DEFAULT_TENANT, knowledgeBaseId, sourceId, vectorScope } from '@palimpsest/knowledge/values';
import type { Access } from '@palimpsest/knowledge/access';
import type { DocumentParser, EmbeddingProviders, RecordedEvent } from '@palimpsest/knowledge/ports';
import { CatalogHeldDocuments, ReadModelRunner, Relay } from '@palimpsest/projections';
import {
  aJournal,
  aFakeEmbeddingProvider,
  InMemoryBlobStore,
  InMemoryCatalog,
  InMemoryCheckpoints,
  InMemoryEventLog,
  InMemoryLexicalIndex,
  InMemoryScopeKeys,
  InMemoryVectorIndex,
} from '@palimpsest/test-kit';
import type { Observer } from '../src/telemetry/observer.ts';

const WRITER: Access = { tenant: DEFAULT_TENANT, teams: ['red'], roles: ['writer', 'admin'], actor: 'key-1' };
const BASE = knowledgeBaseId('handbook');
const now = (): string => new Date().toISOString();

const plainParser: DocumentParser = {
  parse: async ({ bytes }) => ({
    outcome: 'parsed',
    document: {
      kind: 'text',
      mediaType: 'text/plain',
      language: 'en',
      text: Buffer.from(bytes).toString(),
      headings: [],
      pages: [],
      sheets: [],
      metadata: {},
      warnings: [],
    },
  }),
  close: async () => undefined,
};

export type TracedPlatform = Readonly<{
  /** Sends a request over the network, because a real connection affects the context of a trace. */
  ask: (path: string, init?: RequestInit) => Promise<Readonly<{ status: number; text: string }>>;
  /** Resolves when the uploaded documents are indexed and searchable. */
  settled: () => Promise<void>;
  events: () => Promise<readonly RecordedEvent[]>;
  stop: () => Promise<void>;
}>;

/** The real features on in-memory adapters and the real bus, with an observer. `POST /documents/:name` accepts a text. */
export const aTracedPlatform = async (observer: Observer): Promise<TracedPlatform> => {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-traced-'));
  const log = new InMemoryEventLog({ now: () => Date.now() });
  const bus = observer.messageBus(await openSqliteMessageBus({ file: join(folder, 'queues.db') }));
  const [blobs, keys, catalog] = [new InMemoryBlobStore(), new InMemoryScopeKeys(), new InMemoryCatalog()];
  const journal = aJournal(observer.eventLog(log), keys);
  const provider = observer.embedding(aFakeEmbeddingProvider());
  const providers: EmbeddingProviders = {
    current: provider,
    of: (version) => (version === provider.version ? provider : undefined),
    versions: () => [provider.version],
    recipeOf: (version) => recipeWith({ version }),
  };
  const checkpoints = new InMemoryCheckpoints();
  const runner = new ReadModelRunner(
    { journal, catalog, keys, vectors: new InMemoryVectorIndex(), lexical: new InMemoryLexicalIndex() },
    { checkpoints, onError: () => undefined, flushEveryMs: 1, onProjected: observer.projected },
  );
  const knowledgeBases = new KnowledgeBases(journal, providers, UNLIMITED, now);
  await knowledgeBases.create(
    WRITER,
    { id: BASE, scope: vectorScope('team:red'), settings: { name: 'Handbook', description: '', chunking: chunkingSettings() } },
    'request-0',
  );
  const backlog = new Backlog({ bus, catalog }, 100);
  const submit = new SubmitDocument({ quotaPolicy: UNLIMITED, journal, blobs, keys, backlog, knowledgeBases, maxBytes: 1_000_000, now });
  const documents = new ProcessDocument({
    quotaPolicy: UNLIMITED,
    journal,
    blobs,
    keys,
    parser: plainParser,
    providers,
    languages: { of: async () => 'und' },
    now,
    requestReembedding: async () => undefined,
  });
  const relaying = new AbortController();
  const relay = new Relay(journal, bus, checkpoints, new CatalogHeldDocuments(catalog, runner)).run(relaying.signal);
  const worker = await startIngestionWorker(bus, documents, { concurrency: 1, maxAttempts: 1, onError: () => undefined });
  runner.start();
  const server = fastify();
  observer.requests(server);
  server.post<{ Params: { name: string }; Body: string }>('/documents/:name', async ({ params, body }) => {
    const { documentId } = await submit.run(
      WRITER,
      { knowledgeBase: BASE, sourceId: sourceId(params.name), bytes: Buffer.from(body), labels: {}, origin: 'UserContent' },
      'request-1',
    );
    return { documentId };
  });
  server.get('/broken', async () => {
    throw new Error('a secret text');
  });
  const events = async (): Promise<readonly RecordedEvent[]> => {
    const all: RecordedEvent[] = [];
    for await (const event of log.readAll()) all.push(event);
    return all;
  };
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  return {
    ask: async (path, init) => {
      const answer = await fetch(`${url}${path}`, init);
      const text = await answer.text();
      // The response ends on the server a moment later.
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { status: answer.status, text };
    },
    events,
    settled: async () => {
      for (let last = ''; last !== 'DocumentIndexed'; last = (await events()).at(-1)?.type ?? '')
        await new Promise((resolve) => setTimeout(resolve, 10));
      if (!(await runner.reached(await log.head(), 20_000))) throw new Error('the read models did not catch up');
      // The worker settles its message, and ends its span, just after the last event.
      await worker.stop();
    },
    stop: async () => {
      await server.close();
      await worker.stop();
      relaying.abort();
      await relay;
      await runner.stop();
      await bus.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
