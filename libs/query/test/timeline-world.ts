import { Journal, parseInput } from '@palimpsest/contracts';
import { listTimeline } from '@palimpsest/contracts/routes/timeline';
import type { Access } from '@palimpsest/knowledge/access';
import {
  document,
  documentStream,
  knowledgeBase,
  knowledgeBaseStream,
  scope as scopeDecider,
  scopeStream,
  type DocumentCommand,
  type IndexingResult,
} from '@palimpsest/knowledge/deciders';
import type { KnowledgeChunkIndexed } from '@palimpsest/knowledge/events';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import {
  chunkId,
  chunkingVersion,
  chunkListOf,
  DEFAULT_CHUNK_LIST,
  embeddingVersion,
  KNOWLEDGE_BASE_CHUNKING,
  knowledgeBaseId,
  recipeWith,
  sha256,
  sourceId,
  type ChunkListId,
  type ChunkingRecipe,
  type TenantScope,
} from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { InMemoryEventLog, InMemoryScopeKeys } from '@palimpsest/test-kit';
import { ListTimeline, Timelines } from '../src/timeline/list-timeline.ts';
import { ACME, aDocument, RED } from './event-world.ts';

export const SCOPE: TenantScope = { tenant: ACME, scope: RED };
export const SMALL = embeddingVersion('fake:small/4');
export const LARGE = embeddingVersion('fake:large/8');
export const LONG_CHUNKS: ChunkingRecipe = {
  settings: { markdown: { maxChars: 9_000 }, tokens: {}, sheets: {}, code: {} },
  contextual: 'none',
};
export const LONG_LIST = chunkListOf(LONG_CHUNKS);

const idOf = (name: string) => chunkId(Buffer.from(name).toString('hex').padStart(32, '0').slice(-32));
const NOW = '2026-11-01T09:00:00.000Z';

/** The lists of chunks of a version, by name, and its title. */
type Version = Readonly<{ chunks: string; title?: string; others?: Readonly<Record<ChunkListId, string>>; list?: ChunkListId }>;

/** A log with documents, models and knowledge bases as the deciders record them. */
export class TimelineWorld {
  #seconds = 0;
  /** Each append is a second after the one before. */
  readonly log = new InMemoryEventLog({ now: () => Date.parse('2026-11-01T08:00:00Z') + 1_000 * ++this.#seconds });
  readonly keys = new InMemoryScopeKeys();
  readonly journal = new Journal(this.log, this.keys);
  readonly timelines: Timelines;
  readonly #versions = new Map<string, number>();

  constructor(limits?: ConstructorParameters<typeof Timelines>[3]) {
    this.timelines = new Timelines(this.journal, this.keys, { now: () => Date.parse(NOW), elapsed: () => 0 }, limits);
  }

  /** A page, asked for as in a URL. */
  async page(access: Access, query: object = {}, scope: string = RED) {
    const buses = new Buses(this.timelines.handlers, UNLIMITED);
    const params = parseInput(listTimeline.params, { scope });
    return buses.execute(new ListTimeline({ access, correlationId: 'test' }, { ...params, ...parseInput(listTimeline.query, query) }));
  }

  async open(of = SCOPE): Promise<void> {
    await this.model({ type: 'Open', recipe: recipeWith({ version: SMALL }) }, of);
  }

  async model(command: Readonly<{ type: string; [field: string]: unknown }>, of = SCOPE): Promise<void> {
    const whole = { scope: of.scope, now: NOW, ...command } as never;
    await this.journal.execute(scopeDecider, scopeStream(of), whole, this.#by(of));
  }

  /** Starts a generation, builds it and cuts over to it. */
  async swap(generation: string, version = LARGE, chunking = KNOWLEDGE_BASE_CHUNKING, meanwhile = async () => {}): Promise<void> {
    await this.model({ type: 'StartGeneration', recipe: recipeWith({ version }, undefined, chunking), cutover: 'manual' });
    await meanwhile();
    const counts = { chunks: 0, withoutVector: 0, upTo: '1' };
    for (let range = 0; range < 16; range++)
      await this.model({ type: 'RecordRange', generation, range, counts: { chunks: 0, withoutVector: 0, tokens: 0 } });
    await this.model({ type: 'RecordBuilt', generation, counts });
    await this.model({ type: 'CutOver' });
  }

  async base(name: string, command: Readonly<Record<string, unknown>> = { type: 'Create' }, of = SCOPE): Promise<void> {
    const id = knowledgeBaseId(name);
    const settings = { name, description: '', chunking: { markdown: {}, tokens: {}, sheets: {}, code: {} } };
    const created = { scope: of.scope, settings };
    const whole = { id, now: NOW, ...(command['type'] === 'Create' ? created : {}), ...command } as never;
    await this.journal.execute(knowledgeBase, knowledgeBaseStream(of.tenant, id), whole, this.#by(of));
  }

  async submit(
    number: number,
    { title, base = 'handbook' }: Readonly<{ title?: string; base?: string }> = {},
    of = SCOPE,
  ): Promise<number> {
    const version = (this.#versions.get(`${of.tenant}/${number}`) ?? 0) + 1;
    this.#versions.set(`${of.tenant}/${number}`, version);
    await this.#document(number, of, {
      type: 'Submit',
      submission: {
        ...{ knowledgeBase: knowledgeBaseId(base), sourceId: sourceId(`${number}.md`), ...(title === undefined ? {} : { title }) },
        ...{
          blob: 'documents/acme/a/b' as never,
          bytes: 1,
          checksum: sha256('c'.repeat(64)),
          fingerprint: digestOf(`${number}/${version}`),
        },
        ...{ labels: {}, origin: 'UserContent' },
      },
      now: NOW,
    });
    return version;
  }

  /** Submits and indexes a version. Chunks are named by letters: `abc` has three. */
  async index(number: number, version: string | Version, of = SCOPE, base?: string): Promise<void> {
    const { chunks, title = 'Title', list = DEFAULT_CHUNK_LIST, others = {} } = typeof version === 'string' ? { chunks: version } : version;
    const submitted = await this.submit(number, { title, ...(base === undefined ? {} : { base }) }, of);
    for (const [name, letters] of [[list, chunks] as const, ...Object.entries(others)])
      await this.#record(number, submitted, name as ChunkListId, letters, of);
    await this.#document(number, of, {
      type: 'CompleteIndexing',
      version: submitted,
      result: resultOf(list, chunks, title),
      others: Object.entries(others).map(([name, letters]) => resultOf(name as ChunkListId, letters, title)),
      now: NOW,
    });
  }

  /** Makes another chunk list of the latest version, as a swap does. */
  async rechunk(number: number, list: ChunkListId, chunks: string, of = SCOPE): Promise<void> {
    const version = this.#versions.get(`${of.tenant}/${number}`) ?? 0;
    await this.#record(number, version, list, chunks, of, true);
    const result = { ...resultOf(list, chunks, 'Title'), whole: true as const };
    await this.#document(number, of, { type: 'CompleteIndexing', version, result, now: NOW });
  }

  fail(number: number, version: number, of = SCOPE): Promise<void> {
    return this.#document(number, of, { type: 'Fail', version, reason: 'password', detail: 'It has a password.', now: NOW });
  }

  remove(number: number, of = SCOPE): Promise<void> {
    return this.#document(number, of, { type: 'Delete', now: NOW });
  }

  #record(number: number, version: number, chunkList: ChunkListId, letters: string, of: TenantScope, whole = false): Promise<void> {
    const chunks = [...letters].map((letter, index) => chunkOf(number, version, letter, index, letters.length));
    return this.#document(number, of, { type: 'RecordChunks', version, chunkList, chunks, ...(whole ? { whole } : {}) });
  }

  async #document(number: number, of: TenantScope, command: Record<string, unknown>): Promise<void> {
    const documentId = aDocument(number);
    const whole = { documentId, ...command } as unknown as DocumentCommand;
    await this.journal.execute(document, documentStream(of.tenant, documentId), whole, this.#by(of));
  }

  #by({ tenant, scope }: TenantScope) {
    return { tenant, scope, actor: 'key:ci', correlationId: 'r-1' };
  }
}

const digestOf = (text: string) => sha256(Buffer.from(text).toString('hex').padEnd(64, '0').slice(0, 64));

const place = (index: number) => ({ start: 10 * index, end: 10 * index + 9, fromLine: index + 1, toLine: index + 1 });

const resultOf = (chunkList: ChunkListId, letters: string, title: string): IndexingResult => ({
  ...{ chunkList, title, mediaType: 'text/markdown', language: 'en', chunkingVersion: chunkingVersion('markdown@1/1500') },
  ...{ metadata: {}, failedChunks: 0, warnings: [] },
  chunks: [...letters].map((letter, index) => ({ chunkId: idOf(letter), ...place(index) })),
});

const chunkOf = (number: number, version: number, letter: string, index: number, of: number): KnowledgeChunkIndexed => ({
  type: 'KnowledgeChunkIndexed',
  data: {
    ...{ documentId: aDocument(number), version, chunkId: idOf(letter), index, of, contentHash: sha256('e'.repeat(64)), ...place(index) },
    ...{ sealedText: 'AAAA', sealedVector: 'AAAA', embeddingVersion: SMALL, chunkingVersion: chunkingVersion('markdown@1/1500') },
    ...{ language: 'en', origin: 'UserContent', tokens: 1, truncated: false },
  },
});
