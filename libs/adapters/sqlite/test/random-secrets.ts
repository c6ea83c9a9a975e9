import { SeededRandom } from '@palimpsest/foundation';
import type { Catalog, CatalogChange } from '@palimpsest/knowledge/read-models';
import {
  chunkId,
  chunkingVersion,
  DEFAULT_CHUNK_LIST,
  documentId,
  knowledgeBaseId,
  position,
  sha256,
  sourceId,
  tenantId,
  vectorScope,
} from '@palimpsest/knowledge/values';

const ACME = tenantId('acme');
const SCOPES = ['deployment', 'team:one', 'team:two'].map((name) => vectorScope(name));
const AT = '2026-01-01T00:00:00Z';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

type Stored = Readonly<{ number: number; scope: (typeof SCOPES)[number]; version: number; secrets: readonly string[] }>;

/** Submits, replaces and deletes random documents, whose titles, sources, labels, metadata and symbols are random letters. */
export class RandomSecrets {
  readonly #catalog: Catalog;
  readonly #source: SeededRandom;
  readonly #stored = new Map<number, Stored>();
  #documents = 0;
  #position: bigint | undefined;
  /** Random texts of documents, versions and knowledge bases that the catalog no longer has. */
  readonly removed: string[] = [];
  readonly #baseSecrets = new Map<string, string>();

  constructor(catalog: Catalog, seed: number) {
    this.#catalog = catalog;
    this.#source = new SeededRandom(seed);
  }

  get kept(): readonly string[] {
    return [...[...this.#stored.values()].flatMap(({ secrets }) => secrets), ...this.#baseSecrets.values()];
  }

  /** `deletes`: how many of a thousand steps delete something. Most of the others add a document, and some replace one. */
  async step(deletes: number): Promise<void> {
    const stored = [...this.#stored.values()];
    const of = stored[this.#random(stored.length + 1)];
    const kind = this.#random(1_000);
    if (of === undefined || kind >= deletes)
      return this.#random(3) > 0 ? this.#put(this.#documents++, 1) : this.#put(of?.number ?? this.#documents++, 1 + (of?.version ?? 0), of);
    if (kind > 1) return this.#delete([of]);
    if (kind > 0) return this.#erase(of.scope);
    return this.#delete(stored.filter(({ scope }) => scope === of.scope));
  }

  async #put(number: number, version: number, previous?: Stored): Promise<void> {
    const scope = previous?.scope ?? SCOPES[number % SCOPES.length] ?? vectorScope('deployment');
    const base = this.#baseSecrets.get(scope);
    const secrets = Array.from({ length: 5 }, () => this.#secret());
    const [title = '', source = '', label = '', metadata = '', symbol = ''] = secrets;
    const of = {
      tenant: ACME,
      scope,
      documentId: documentId(hex(number, 'd')),
      version,
      mediaType: 'text/plain',
      labels: { label },
      origin: 'UserContent',
      at: AT,
    } as const;
    const places = Array.from({ length: this.#random(4) }, (_, i) => ({
      chunkId: chunkId(hex(number * 100 + version * 10 + i, 'c')),
      start: i * 10,
      end: i * 10 + 10,
      fromLine: 1,
      toLine: 2,
    }));
    const own = previous?.secrets[1] ?? source;
    const changes: CatalogChange[] = [
      {
        change: 'document-submitted',
        ...of,
        knowledgeBase: knowledgeBaseId(`base-${SCOPES.indexOf(scope)}`),
        sourceId: sourceId(own),
        title,
        bytes: 100,
        checksum: sha256('0'.repeat(64)),
      },
      {
        change: 'document-indexed',
        ...of,
        chunkList: DEFAULT_CHUNK_LIST,
        title,
        language: 'en',
        chunkingVersion: chunkingVersion('markdown@1'),
        metadata: { of: metadata },
        failedChunks: 0,
        warnings: [],
        chunks: places,
        contents: places.map((place, i) => ({
          chunkId: place.chunkId,
          contentHash: sha256(hex(i, 'a').repeat(2)),
          sealedText: new Uint8Array(this.#random(1_500)).fill(1),
          language: 'en',
          symbol,
        })),
      },
    ];
    if (base === undefined) {
      const name = this.#secret();
      this.#baseSecrets.set(scope, name);
      changes.unshift({
        change: 'knowledge-base-created',
        tenant: ACME,
        id: knowledgeBaseId(`base-${SCOPES.indexOf(scope)}`),
        scope,
        settings: { name, description: '', chunking: {} as never },
        at: AT,
      });
    }
    await this.#apply(changes);
    if (previous) this.removed.push(...previous.secrets.filter((each) => each !== own));
    this.#stored.set(number, { number, scope, version, secrets: [title, own, label, metadata, ...(places.length > 0 ? [symbol] : [])] });
  }

  async #delete(documents: readonly Stored[]): Promise<void> {
    await this.#apply(
      documents.map(({ number }) => ({ change: 'document-deleted', tenant: ACME, documentId: documentId(hex(number, 'd')) })),
    );
    for (const each of documents) this.#gone(each);
  }

  async #erase(scope: Stored['scope']): Promise<void> {
    await this.#apply([{ change: 'scope-erased', scope: { tenant: ACME, scope } }]);
    for (const each of [...this.#stored.values()]) if (each.scope === scope) this.#gone(each);
    const name = this.#baseSecrets.get(scope);
    if (name !== undefined) this.removed.push(name);
    this.#baseSecrets.delete(scope);
  }

  #gone({ number, secrets }: Stored): void {
    this.#stored.delete(number);
    this.removed.push(...secrets);
  }

  async #apply(changes: readonly CatalogChange[]): Promise<void> {
    this.#position = (this.#position ?? (await this.#catalog.position())) + 1n;
    await this.#catalog.apply(changes, position(this.#position));
  }

  /** A whole number from 0 to below `limit`. */
  #random(limit: number): number {
    return Math.floor(this.#source.next() * limit);
  }

  #secret(): string {
    return Array.from({ length: 16 + this.#random(48) }, () => LETTERS[this.#random(LETTERS.length)]).join('');
  }
}

const hex = (n: number, lead: string): string => n.toString(16).padStart(31, '0').padStart(32, lead);

const PIECE = 8;

/** Pieces of eight letters: what is left of a text may be a part of it. */
export const piecesOf = (text: string): readonly string[] =>
  Array.from({ length: Math.floor(text.length / PIECE) }, (_, n) => text.slice(n * PIECE, (n + 1) * PIECE));
