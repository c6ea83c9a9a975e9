import type { Journal } from '@palimpsest/contracts';
import type { DocumentDiff } from '@palimpsest/contracts/http';
import { diffVersions, getVersion } from '@palimpsest/contracts/routes/document-versions';
import type { Scheduler } from '@palimpsest/foundation';
import { assertVisible, type Access } from '@palimpsest/knowledge/access';
import { Conflict, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { ChunkId, ChunkListId, DocumentId, TenantScope } from '@palimpsest/knowledge/values';
import { openChunks, type OpenedChunk } from './chunk-texts.ts';
import { compareChunks, type ChunkChange } from './compare-chunks.ts';
import { readHistory, type DocumentHistory, type ListedVersion, type Version } from './document-history.ts';
import { DIFF_LIMITS, unifiedDiff, type DiffLimits, type UnifiedDiff } from './unified-diff.ts';
import { textOfVersion } from './version-text.ts';

type AskedVersion = Readonly<{ id: DocumentId; version: number; limit: number; cursor?: string }>;
type AskedDiff = Readonly<{ id: DocumentId; from?: number; to?: number }>;

type ShownChunk = OpenedChunk & Readonly<{ index: number; place: ListedVersion['data']['chunks'][number] }>;
export type FoundVersion = Readonly<{
  place: TenantScope;
  history: DocumentHistory;
  version: Version;
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

export class GetVersion extends query<AskedVersion, FoundVersion>(getVersion, { shows: ({ place }) => [place] }) {}
export class DiffVersions extends query<AskedDiff, FoundDiff>(diffVersions, { shows: ({ place }) => [place] }) {}

export type VersionLimits = DiffLimits & Readonly<{ textCharacters: number; listedChunks: number }>;
/** `textCharacters`: of each version; longer ones are compared by chunk only. */
const LIMITS: VersionLimits = { ...DIFF_LIMITS, textCharacters: 2_000_000, listedChunks: 1_000 };

type Ports = Readonly<{ journal: Journal; keys: ScopeKeys; scheduler: Scheduler }>;

/** Versions of documents as the log has them, also replaced ones and those of deleted documents. */
export class DocumentVersions implements UseCase {
  readonly handlers = [
    on(GetVersion, ({ access, input }) => this.one(access, input)),
    on(DiffVersions, ({ access, input }) => this.diff(access, input)),
  ];
  readonly #ports: Ports;
  readonly #limits: VersionLimits;

  constructor(ports: Ports, limits = LIMITS) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /** @throws NotFound, InvalidValue (cursor), ScopeKeyDestroyed, Conflict, Corrupt */
  async one(access: Access, { id, version: number, limit, cursor }: AskedVersion): Promise<FoundVersion> {
    const { history, open } = await this.#read(access, id);
    const { place } = history;
    const version = versionOf(history, number);
    const [list] = version.lists.values();
    const status = list ? 'indexed' : statusOf(history, version, number);
    if (!list) return { place, history, version, status, chunks: [] };
    const start = cursor === undefined ? 0 : readCursor(cursor);
    const page = list.data.chunks.slice(start, start + limit);
    const opened = await open(page.map(({ chunkId }) => chunkId));
    const chunks = page.map((chunk, i) => ({ ...openedOf(opened, chunk.chunkId), index: start + i, place: chunk }));
    const end = start + page.length;
    return { place, history, version, status, list, chunks, ...(end < list.data.chunks.length ? { next: String(end) } : {}) };
  }

  /** @throws NotFound, InvalidValue (from, to), ScopeKeyDestroyed, Conflict, Corrupt */
  async diff(access: Access, { id, ...asked }: AskedDiff): Promise<FoundDiff> {
    if (asked.from !== undefined && asked.to !== undefined && asked.from >= asked.to)
      throw new InvalidValue('from', `a version before ${asked.to}`, asked.from);
    const { history, open } = await this.#read(access, id);
    const [from, to] = sidesOf(history, asked);
    const { textCharacters, listedChunks } = this.#limits;
    const changes = compareChunks(from.list.data.chunks, to.list.data.chunks);
    const listed = changes.slice(0, listedChunks);
    const isSmall = [from, to].every(({ list }) => charactersOf(list) <= textCharacters);
    const needed = isSmall ? [...idsOf(from), ...idsOf(to)] : listed.map(({ chunkId }) => chunkId);
    const opened = await open(needed);
    const text: UnifiedDiff = isSmall ? this.#compareTexts(from, to, opened) : { missing: 'too-large' };
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
      chunks: listed.map((change) => ({ ...change, headings: openedOf(opened, change.chunkId).content.headings })),
      text,
      truncated: listed.length < changes.length || ('unified' in text && text.truncated),
    };
  }

  /** Before anything is unsealed: whether the caller may read the document. */
  async #read(access: Access, id: DocumentId) {
    const { journal, keys, scheduler } = this.#ports;
    const history = await readHistory(journal, access, id);
    const cipher = await keys.cipher(assertVisible(access, history.place));
    return { history, open: (ids: Iterable<ChunkId>) => openChunks(journal, history, ids, cipher, scheduler) };
  }

  #compareTexts(from: Side, to: Side, opened: ReadonlyMap<ChunkId, OpenedChunk>): UnifiedDiff {
    const named = ({ version, list: { data } }: Side) => ({
      name: `${data.sourceId}@${version}`,
      text: textOfVersion(data.chunks.map(({ chunkId, ...place }) => ({ ...place, text: openedOf(opened, chunkId).content.text }))),
    });
    return unifiedDiff(named(from), named(to), this.#limits);
  }
}

const idsOf = ({ list }: Side): readonly ChunkId[] => list.data.chunks.map(({ chunkId }) => chunkId);
const charactersOf = ({ data }: ListedVersion): number => data.chunks.reduce((sum, { start, end }) => sum + end - start, 0);

const openedOf = (opened: ReadonlyMap<ChunkId, OpenedChunk>, id: ChunkId): OpenedChunk => {
  const found = opened.get(id);
  if (!found) throw new Error(`chunk ${id} was not opened`);
  return found;
};

const versionOf = ({ versions }: DocumentHistory, number: number): Version => {
  const version = versions.get(number);
  if (!version) throw new NotFound('version', String(number));
  return version;
};

const statusOf = ({ versions, deletion }: DocumentHistory, { failure }: Version, number: number): FoundVersion['status'] => {
  if (failure) return 'failed';
  return versions.has(number + 1) || deletion ? 'superseded' : 'pending';
};

/** A chunk list that both versions have, or else the lists that served first: their chunks differ in any case. */
const sidesOf = (history: DocumentHistory, asked: Readonly<{ from?: number; to?: number }>): readonly [from: Side, to: Side] => {
  const [fromVersion, toVersion] = numbersOf(history, asked);
  const [before, after] = [indexedVersion(history, fromVersion), indexedVersion(history, toVersion)];
  const shared = [...after.keys()].find((list) => before.has(list));
  return [
    { version: fromVersion, list: listIn(before, shared) },
    { version: toVersion, list: listIn(after, shared) },
  ];
};

type Lists = ReadonlyMap<ChunkListId, ListedVersion>;

const listIn = (lists: Lists, shared: ChunkListId | undefined): ListedVersion => {
  const [first] = lists.values();
  const found = (shared === undefined ? undefined : lists.get(shared)) ?? first;
  if (!found) throw new Error('an indexed version has a chunk list');
  return found;
};

const numbersOf = (history: DocumentHistory, { from, to }: Readonly<{ from?: number; to?: number }>): readonly [number, number] => {
  const { versions } = history;
  for (const named of [from, to]) if (named !== undefined) indexedVersion(history, named);
  const indexed = [...versions].flatMap(([number, { lists }]) => (lists.size > 0 ? [number] : []));
  const last = to ?? indexed.findLast((number) => from === undefined || number > from);
  const first = from ?? indexed.findLast((number) => last !== undefined && number < last);
  if (last === undefined || first === undefined)
    throw new Conflict(
      to === undefined && from === undefined ? 'fewer than two versions of the document were indexed' : 'no other version was indexed',
    );
  return [first, last];
};

const indexedVersion = (history: DocumentHistory, number: number): Lists => {
  const version = versionOf(history, number);
  if (version.lists.size > 0) return version.lists;
  const { failure } = version;
  const why = failure ? `it failed (${failure.reason}): ${failure.detail}` : `it is ${statusOf(history, version, number)}`;
  throw new Conflict(`version ${number} was not indexed: ${why}`);
};

/** @throws InvalidValue */
const readCursor = (raw: string): number => {
  if (!/^[1-9][0-9]{0,5}$/.test(raw)) throw new InvalidValue('cursor', 'the "next" value of an earlier response', raw);
  return Number(raw);
};
