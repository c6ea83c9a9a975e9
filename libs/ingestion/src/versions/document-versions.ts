import type { Journal } from '@palimpsest/contracts';
import type { DocumentDiff } from '@palimpsest/contracts/http';
import { diffVersions, getVersion } from '@palimpsest/contracts/routes/document-versions';
import type { Scheduler } from '@palimpsest/foundation';
import { assertVisible, satisfies, type Access } from '@palimpsest/knowledge/access';
import { Conflict, HistoryRemoved, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { DocumentFailed, DocumentIndexed, DocumentSubmitted } from '@palimpsest/knowledge/events';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { ChunkId, DocumentId, TenantScope } from '@palimpsest/knowledge/values';
import { openChunks, type OpenedChunk } from './chunk-texts.ts';
import { compareChunks, type ChunkChange } from './compare-chunks.ts';
import { dataAt } from './data-at.ts';
import { hasRequiredLabels } from './latest-labels.ts';
import { readHistory, type DocumentHistory, type Recorded, type Version } from './document-history.ts';
import { DIFF_LIMITS, unifiedDiff, type DiffLimits, type UnifiedDiff } from './unified-diff.ts';
import { textOfVersion } from './version-text.ts';

type AskedVersion = Readonly<{ id: DocumentId; version: number; limit: number; cursor?: string }>;
type AskedDiff = Readonly<{ id: DocumentId; from?: number; to?: number }>;

/** A chunk list of a version. */
export type ListedVersion = Readonly<{ data: DocumentIndexed['data']; indexed: Recorded }>;

type ShownChunk = OpenedChunk & Readonly<{ index: number; place: ListedVersion['data']['chunks'][number] }>;
export type FoundVersion = Readonly<{
  place: TenantScope;
  history: DocumentHistory;
  submission: DocumentSubmitted['data'];
  submitted: Recorded;
  /** Set for a version that was not indexed. */
  failure?: DocumentFailed['data'];
  status: 'indexed' | 'failed' | 'pending' | 'superseded';
  list?: ListedVersion;
  chunks: readonly ShownChunk[];
  next?: string;
}>;

type Side = Readonly<{ version: number; list: ListedVersion }>;
export type FoundDiff = Readonly<{
  place: TenantScope;
  history: DocumentHistory;
  from: Side;
  to: Side;
  counts: DocumentDiff['counts'];
  chunks: readonly (ChunkChange & Readonly<{ headings: readonly string[] }>)[];
  text: UnifiedDiff;
  truncated: boolean;
}>;

export class GetVersion extends query<AskedVersion, FoundVersion>(getVersion, {
  shows: ({ place, submission: { labels } }) => [{ ...place, labels }],
}) {}
export class DiffVersions extends query<AskedDiff, FoundDiff>(diffVersions, {
  shows: ({ place, from, to }) => [from, to].map(({ list: { data } }) => ({ ...place, labels: data.labels })),
}) {}

export type VersionLimits = DiffLimits & Readonly<{ textCharacters: number; listedChunks: number }>;
/** `textCharacters`: of each version; longer ones are compared by chunk only. */
export const VERSION_LIMITS: VersionLimits = { ...DIFF_LIMITS, textCharacters: 2_000_000, listedChunks: 1_000 };

type Ports = Readonly<{ journal: Journal; keys: ScopeKeys; scheduler: Scheduler }>;

/** Versions of documents as the log has them, also replaced ones and those of deleted documents. */
export class DocumentVersions implements UseCase {
  readonly handlers = [
    on(GetVersion, ({ access, input }) => this.one(access, input)),
    on(DiffVersions, ({ access, input }) => this.diff(access, input)),
  ];
  readonly #ports: Ports;
  readonly #limits: VersionLimits;

  constructor(ports: Ports, limits = VERSION_LIMITS) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /** @throws NotFound, InvalidValue (cursor), ScopeKeyDestroyed, Conflict, Corrupt */
  async one(access: Access, { id, version: number, limit, cursor }: AskedVersion): Promise<FoundVersion> {
    const { history, open } = await this.#read(access, id);
    const { place } = history;
    const { version, submission } = await this.#visible(access, history, number);
    const { journal } = this.#ports;
    const { submitted, failed } = version;
    const found = { place, history, submitted, submission };
    const [indexed] = version.lists.values();
    if (!indexed) {
      const failure = failed && (await dataAt(journal, history, failed, 'DocumentFailed'));
      return { ...found, status: statusOf(history, version, number), chunks: [], ...(failure ? { failure } : {}) };
    }
    const list = { indexed, data: await dataAt(journal, history, indexed, 'DocumentIndexed') };
    const start = cursor === undefined ? 0 : readCursor(cursor);
    const page = list.data.chunks.slice(start, start + limit);
    const opened = new Map<ChunkId, OpenedChunk>();
    for await (const chunk of open(page.map(({ chunkId }) => chunkId))) opened.set(chunk.id, chunk);
    const chunks = page.map((chunk, i) => ({ ...foundIn(opened, chunk.chunkId), index: start + i, place: chunk }));
    const end = start + page.length;
    return { ...found, status: 'indexed', list, chunks, ...(end < list.data.chunks.length ? { next: String(end) } : {}) };
  }

  /** @throws NotFound, InvalidValue (from, to), ScopeKeyDestroyed, Conflict, Corrupt */
  async diff(access: Access, { id, ...asked }: AskedDiff): Promise<FoundDiff> {
    if (asked.from !== undefined && asked.to !== undefined && asked.from >= asked.to)
      throw new InvalidValue('from', `a version before ${asked.to}`, asked.from);
    const { history, open } = await this.#read(access, id);
    const [from, to] = await this.#sides(access, history, asked);
    const changes = compareChunks(from.list.data.chunks, to.list.data.chunks);
    const listed = changes.slice(0, this.#limits.listedChunks);
    const { headings, texts } = await this.#texts([from, to], new Set(listed.map(({ chunkId }) => chunkId)), open);
    const text: UnifiedDiff = texts ? unifiedDiff(namedText(from, texts), namedText(to, texts), this.#limits) : { missing: 'too-large' };
    return {
      place: history.place,
      history,
      from,
      to,
      counts: {
        added: changes.filter(({ change }) => change === 'added').length,
        removed: changes.filter(({ change }) => change === 'removed').length,
        kept: changes.filter(({ change }) => change === 'kept').length,
      },
      chunks: listed.map((change) => ({ ...change, headings: foundIn(headings, change.chunkId) })),
      text,
      truncated: listed.length < changes.length || ('unified' in text && text.truncated),
    };
  }

  /** Before anything is unsealed: whether the caller may read the document. */
  async #read(access: Access, id: DocumentId) {
    const { journal, keys, scheduler } = this.#ports;
    const history = await readHistory(journal, access, id);
    const cipher = await keys.cipher(assertVisible(access, history.place));
    if (!(await hasRequiredLabels(journal, access, history.stream))) throw new NotFound('document', id);
    return { history, open: (ids: Iterable<ChunkId>) => openChunks(journal, history, ids, cipher, scheduler) };
  }

  /** A version may have other labels than the latest one. @throws NotFound, also for one without the labels that the key requires */
  async #visible(access: Access, history: DocumentHistory, number: number) {
    const version = versionOf(history, number);
    const submission = await dataAt(this.#ports.journal, history, version.submitted, 'DocumentSubmitted');
    if (!satisfies(submission.labels, access.requiredLabels)) throw new NotFound('version', String(number));
    return { version, submission };
  }

  /** A chunk list that both versions have, or else the lists that served first: their chunks differ in any case. */
  async #sides(
    access: Access,
    history: DocumentHistory,
    asked: Readonly<{ from?: number; to?: number }>,
  ): Promise<readonly [from: Side, to: Side]> {
    for (const named of [asked.from, asked.to]) if (named !== undefined) await this.#refuseUnindexed(access, history, named);
    const numbers = numbersOf(history, asked);
    for (const number of numbers) await this.#visible(access, history, number);
    const [from, to] = numbers.map((number) => ({ number, lists: versionOf(history, number).lists }));
    if (!from || !to) throw new Error('two versions are compared');
    const shared = [...to.lists.keys()].find((list) => from.lists.has(list));
    const sideOf = async ({ number, lists }: typeof from): Promise<Side> => {
      const [first] = lists.values();
      const indexed = (shared === undefined ? undefined : lists.get(shared)) ?? first;
      if (!indexed) throw new Error('an indexed version has a chunk list');
      return { version: number, list: { indexed, data: await dataAt(this.#ports.journal, history, indexed, 'DocumentIndexed') } };
    };
    return [await sideOf(from), await sideOf(to)];
  }

  async #refuseUnindexed(access: Access, history: DocumentHistory, number: number): Promise<void> {
    const { version } = await this.#visible(access, history, number);
    if (version.lists.size > 0) return;
    const failure = version.failed && (await dataAt(this.#ports.journal, history, version.failed, 'DocumentFailed'));
    const why = failure ? `it failed (${failure.reason}): ${failure.detail}` : `it is ${statusOf(history, version, number)}`;
    throw new Conflict(`version ${number} was not indexed: ${why}`);
  }

  /**
   * The headings of the listed chunks and, unless they are too large, the texts of both versions. An import may say that a chunk has another
   * place and size than its text, so both are counted.
   */
  async #texts(sides: readonly Side[], listed: ReadonlySet<ChunkId>, open: OpenChunks) {
    const { textCharacters } = this.#limits;
    const headings = new Map<ChunkId, readonly string[]>();
    const texts = new Map<ChunkId, string>();
    let isSmall = sides.every(({ list }) => extentOf(list) <= textCharacters);
    let characters = 0;
    for await (const { id, content } of open(isSmall ? sides.flatMap(idsOf) : listed)) {
      if (listed.has(id)) headings.set(id, content.headings);
      characters += content.text.length;
      // Chunks may overlap, and there are two versions.
      isSmall &&= characters <= 4 * textCharacters;
      if (isSmall) texts.set(id, content.text);
      else texts.clear();
      if (!isSmall && headings.size === listed.size) break;
    }
    return { headings, texts: isSmall ? texts : undefined };
  }
}

type OpenChunks = (ids: Iterable<ChunkId>) => AsyncIterable<OpenedChunk>;

const namedText = ({ version, list: { data } }: Side, texts: ReadonlyMap<ChunkId, string>) => ({
  name: `${data.sourceId}@${version}`,
  text: textOfVersion(data.chunks.map(({ chunkId, ...place }) => ({ ...place, text: foundIn(texts, chunkId) }))),
});

const idsOf = ({ list }: Side): readonly ChunkId[] => list.data.chunks.map(({ chunkId }) => chunkId);
const extentOf = ({ data }: ListedVersion): number => data.chunks.reduce((most, { end }) => Math.max(most, end), 0);

const foundIn = <Value>(opened: ReadonlyMap<ChunkId, Value>, id: ChunkId): Value => {
  const found = opened.get(id);
  if (found === undefined) throw new Error(`chunk ${id} was not opened`);
  return found;
};

const versionOf = ({ versions, first }: DocumentHistory, number: number): Version => {
  const version = versions.get(number);
  if (version) return version;
  if (first.revision > 0 && [...versions.keys()].every((left) => left > number))
    throw new HistoryRemoved(`version ${number} of the document was removed with its history`, first.position);
  throw new NotFound('version', String(number));
};

const statusOf = ({ versions, deletion }: DocumentHistory, { failed }: Version, number: number): FoundVersion['status'] => {
  if (failed) return 'failed';
  return versions.has(number + 1) || deletion ? 'superseded' : 'pending';
};

const numbersOf = ({ versions }: DocumentHistory, { from, to }: Readonly<{ from?: number; to?: number }>): readonly [number, number] => {
  const indexed = [...versions].flatMap(([number, { lists }]) => (lists.size > 0 ? [number] : []));
  const last = to ?? indexed.findLast((number) => from === undefined || number > from);
  const first = from ?? indexed.findLast((number) => last !== undefined && number < last);
  if (last === undefined || first === undefined)
    throw new Conflict(
      to === undefined && from === undefined ? 'fewer than two versions of the document were indexed' : 'no other version was indexed',
    );
  return [first, last];
};

/** @throws InvalidValue */
const readCursor = (raw: string): number => {
  if (!/^[1-9][0-9]{0,5}$/.test(raw)) throw new InvalidValue('cursor', 'the "next" value of an earlier response', raw);
  return Number(raw);
};
