import { linesOf, type Journal } from '@palimpsest/contracts';
import type { GoldenQueryLine, GoldenQueryView, GoldenSetImported, GoldenSetPage, GoldenSetView } from '@palimpsest/contracts/http';
import { exportGoldenSet, getGoldenSet, importGoldenSet, listGoldenSets, removeGoldenSet } from '@palimpsest/contracts/routes/golden';
import { permittedScope, type Access, type PermittedScope } from '@palimpsest/knowledge/access';
import { scope as scopeDecider, scopeStream } from '@palimpsest/knowledge/deciders';
import { Conflict, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import {
  goldenSets as decider,
  goldenSetsStream,
  type GoldenSetName,
  type GoldenVersion,
  type JudgedQuery,
} from '@palimpsest/knowledge/golden';
import { command, NO_ROWS, on, query, type Message, type UseCase } from '@palimpsest/knowledge/messages';
import { ScopeKeyDestroyed, type ScopeKeys } from '@palimpsest/knowledge/ports';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import type { DocumentId, KnowledgeBaseId, VectorScope } from '@palimpsest/knowledge/values';
import { contentOf, GoldenLog } from './golden-log.ts';
import { documentsOf } from './judged-documents.ts';
import { versionsOf } from './log-golden-queries.ts';
import { parseQueries } from './parse-queries.ts';

type OfScope = Readonly<{ scope: VectorScope }>;
type OfSet = OfScope & Readonly<{ set: GoldenSetName }>;
/** `expected`: the version that the caller knows, 0 if it knows of none. */
type Change = OfSet & Readonly<{ expected?: number }>;
type PageOf = OfSet & Readonly<{ limit: number; cursor?: string }>;
type Import = Change & Readonly<{ knowledgeBase?: KnowledgeBaseId; lines: AsyncIterable<Uint8Array> }>;

const named = { scopes: ({ scope }: OfScope) => [scope] };

export class ListGoldenSets extends query<OfScope, readonly GoldenSetView[]>(listGoldenSets, { ...named, ...NO_ROWS }) {}
export class GetGoldenSet extends query<PageOf, GoldenSetPage>(getGoldenSet, { ...named, ...NO_ROWS }) {}
export class ExportGoldenSet extends query<OfSet, AsyncIterable<GoldenQueryLine>>(exportGoldenSet, { ...named, ...NO_ROWS }) {}
export class ImportGoldenSet extends command<Import, GoldenSetImported>(importGoldenSet, named) {}
export class RemoveGoldenSet extends command<Change, void>(removeGoldenSet, named) {}

export type GoldenSetsPorts = Readonly<{
  journal: Journal;
  keys: Pick<ScopeKeys, 'cipher'>;
  catalog: Pick<CatalogReader, 'knowledgeBases' | 'document' | 'existing'>;
  now: () => string;
  onFault: (error: unknown, about: string) => void;
}>;

/** Imports, shows, exports and removes golden sets. Everything is read from the log. */
export class GoldenSets implements UseCase {
  readonly handlers = [
    on(ListGoldenSets, ({ access, input }) => this.#list(access, input.scope)),
    on(GetGoldenSet, ({ access, input }) => this.#page(access, input)),
    on(ExportGoldenSet, async ({ access, input: { scope, set } }) => {
      const { scope: permitted, version } = await this.#find(access, scope, set);
      return this.#lines(permitted, version);
    }),
    on(ImportGoldenSet, (message) => this.#import(message)),
    on(RemoveGoldenSet, (message) => this.#remove(message)),
  ];
  readonly #ports: GoldenSetsPorts;
  readonly #log: GoldenLog;

  constructor(ports: GoldenSetsPorts) {
    this.#ports = ports;
    this.#log = new GoldenLog(ports.journal);
  }

  async #list(access: Access, name: VectorScope): Promise<readonly GoldenSetView[]> {
    const scope = await this.#scope(access, name);
    if (await this.#isErased(scope)) return [];
    const views: GoldenSetView[] = [];
    for (const version of versionsOf((await this.#log.load(scope)).state)) views.push(await this.#view(scope, version));
    return views;
  }

  /** The cursor names the version and how many queries were returned. @throws NotFound, InvalidValue, Conflict */
  async #page(access: Access, { scope: name, set, limit, cursor }: PageOf): Promise<GoldenSetPage> {
    const { scope, version } = await this.#find(access, name, set);
    const start = startOf(cursor, version);
    const items: GoldenQueryView[] = [];
    let [at, missing] = [0, 0];
    for await (const part of this.#log.parts(scope, version)) {
      const gone = await this.#missingIn(scope, part);
      missing += countOf(part, gone);
      items.push(
        ...part.slice(Math.max(0, start - at), Math.max(0, start - at) + limit - items.length).map((judged) => shown(judged, gone)),
      );
      at += part.length;
    }
    const end = start + items.length;
    return { ...summary(version, missing), items, ...(end < at ? { next: `${version.version}.${end}` } : {}) };
  }

  async *#lines(scope: PermittedScope, version: GoldenVersion): AsyncGenerator<GoldenQueryLine> {
    try {
      for await (const part of this.#log.parts(scope, version)) yield* part.map(lineOf);
    } catch (error) {
      // The response has begun: the caller only sees that it breaks off.
      this.#ports.onFault(error, `exporting the golden set ${version.set} of ${scope.scope}`);
      throw error;
    }
  }

  /** @throws InvalidValue naming line and field; Conflict; NotFound; ScopeKeyDestroyed */
  async #import({ access, correlationId, input }: Message<Import, GoldenSetImported>): Promise<GoldenSetImported> {
    const { journal, keys, now } = this.#ports;
    const { set, expected, knowledgeBase } = input;
    const scope = await this.#scope(access, input.scope);
    const cipher = await keys.cipher(scope);
    const find = await documentsOf(this.#ports, { scope, cipher, ...(knowledgeBase === undefined ? {} : { knowledgeBase }) });
    const queries = await parseQueries(linesOf(input.lines), find);
    const content = contentOf(cipher, queries);
    const counts = {
      parts: content.parts.length,
      queries: queries.length,
      judgements: queries.reduce((sum, { judgements }) => sum + judgements.length, 0),
      synthetic: queries.filter(({ synthetic }) => synthetic).length,
      bytes: content.bytes,
    };
    const asked = { type: 'ImportSet' as const, scope: input.scope, set, content: content.digest, counts, now: now() };
    const importing = expected === undefined ? asked : { ...asked, expected };
    const metadata = { ...scope, actor: access.actor, correlationId };
    const known = await this.#log.load(scope);
    // A refused import stores nothing.
    if (decider.decide(importing, known.state).length > 0) await this.#log.store(scope, content, metadata);
    const { state, events, position } = await journal.execute(decider, goldenSetsStream(scope), importing, metadata, known);
    const version = state.current.get(set);
    if (version === undefined) throw new NotFound('golden set', set);
    return { ...(await this.#view(scope, version)), changed: events.length > 0, position: String(position) };
  }

  async #remove({ access, correlationId, input }: Message<Change, void>): Promise<void> {
    const { journal, now } = this.#ports;
    const { scope } = await this.#find(access, input.scope, input.set);
    const metadata = { ...scope, actor: access.actor, correlationId };
    await journal.execute(decider, goldenSetsStream(scope), { type: 'RemoveSet', ...input, now: now() }, metadata);
  }

  /** @throws NotFound, also if the key of the scope was destroyed */
  async #find(access: Access, name: VectorScope, set: GoldenSetName): Promise<Readonly<{ scope: PermittedScope; version: GoldenVersion }>> {
    const scope = await this.#scope(access, name);
    const version = (await this.#log.load(scope)).state.current.get(set);
    if (version === undefined || (await this.#isErased(scope))) throw new NotFound('golden set', set);
    return { scope, version };
  }

  /** @throws NotFound if the scope does not exist or the caller may not read it */
  async #scope(access: Access, name: VectorScope): Promise<PermittedScope> {
    const scope = permittedScope(access, name);
    if (!(await this.#ports.journal.load(scopeDecider, scopeStream(scope))).state.opened) throw new NotFound('scope', name);
    return scope;
  }

  async #isErased(scope: PermittedScope): Promise<boolean> {
    try {
      await this.#ports.keys.cipher(scope);
      return false;
    } catch (error) {
      if (error instanceof ScopeKeyDestroyed) return true;
      throw error;
    }
  }

  async #view(scope: PermittedScope, version: GoldenVersion): Promise<GoldenSetView> {
    let missing = 0;
    for await (const part of this.#log.parts(scope, version)) missing += countOf(part, await this.#missingIn(scope, part));
    return summary(version, missing);
  }

  /** The documents that do not exist, of those that these queries judge. */
  async #missingIn(scope: PermittedScope, queries: readonly JudgedQuery[]): Promise<ReadonlySet<DocumentId>> {
    const judged = new Set(queries.flatMap(({ judgements }) => judgements.map(({ documentId }) => documentId)));
    const existing = await this.#ports.catalog.existing([scope], [...judged]);
    return new Set([...judged].filter((id) => !existing.has(id)));
  }
}

const countOf = (queries: readonly JudgedQuery[], gone: ReadonlySet<DocumentId>): number =>
  queries.reduce((sum, { judgements }) => sum + judgements.filter(({ documentId }) => gone.has(documentId)).length, 0);

const summary = ({ set, version, queries, synthetic, judgements, importedAt }: GoldenVersion, missing: number): GoldenSetView => ({
  set,
  version,
  queries,
  synthetic,
  judgements,
  missing,
  importedAt,
});

const shown = ({ id, text, synthetic, judgements }: JudgedQuery, gone: ReadonlySet<DocumentId>): GoldenQueryView => ({
  id,
  text,
  synthetic,
  judgements: judgements.map(({ sourceId: source, documentId, grade, knowledgeBase }) => ({
    documentId,
    ...(source === undefined ? {} : { source }),
    ...(knowledgeBase === undefined ? {} : { knowledgeBase }),
    grade,
    missing: gone.has(documentId),
  })),
});

const lineOf = ({ id, text, synthetic, judgements }: JudgedQuery): GoldenQueryLine => ({
  id,
  text,
  synthetic,
  judgements: judgements.map(({ sourceId: source, documentId, grade, knowledgeBase }) =>
    source === undefined || knowledgeBase === undefined ? { documentId, grade } : { source, knowledgeBase, grade },
  ),
});

/** @throws InvalidValue; Conflict if the cursor is of an earlier version */
const startOf = (cursor: string | undefined, { set, version }: GoldenVersion): number => {
  if (cursor === undefined) return 0;
  const [, of, start] = /^([1-9][0-9]{0,8})\.([0-9]{1,6})$/.exec(cursor) ?? [];
  if (of === undefined || start === undefined) throw new InvalidValue('cursor', 'the `next` of a page', cursor);
  if (Number(of) !== version) throw new Conflict(`golden set "${set}" is at version ${version}, not at version ${of}: read it again`);
  return Number(start);
};
