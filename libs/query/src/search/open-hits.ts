import { setImmediate as nextTurn } from 'node:timers/promises';
import { openText } from '@palimpsest/contracts';
import { secondLook, type Access, type ChunkId, type LexicalHit, type ScopeKeys, type Sha256, type VisibleChunk } from '@palimpsest/knowledge';
import type { FusedHit } from '../ranking/fusion.ts';
import type { ShownChunks } from './candidates.ts';
import { hitOf, snippetOf, type OpenedText, type SearchHit } from './search-hit.ts';
import type { SearchRequest } from './search-request.ts';

type Opened = OpenedText & Readonly<{ contentHash: Sha256 }>;

/** Opens the texts of one search's candidates, and cuts their snippets. */
export class OpenHits {
  readonly #access: Access;
  readonly #request: SearchRequest;
  readonly #keys: ScopeKeys;
  readonly #shown: ShownChunks;
  readonly #opened = new Map<ChunkId, Opened>();

  constructor(access: Access, request: SearchRequest, keys: ScopeKeys, shown: ShownChunks) {
    this.#access = access;
    this.#request = request;
    this.#keys = keys;
    this.#shown = shown;
  }

  /** The best `topK` of these that the catalogue shows now. */
  async best(fused: readonly FusedHit[], lexical: readonly LexicalHit[]): Promise<readonly SearchHit[]> {
    const terms = new Map(lexical.map((hit) => [hit.chunkId, hit.terms]));
    const hits: SearchHit[] = [];
    // Once, unless something went since the candidates were found: then the next ones move up.
    for (let from = 0; from < fused.length && hits.length < this.#request.topK; ) {
      const next = fused.slice(from, from + this.#request.topK - hits.length);
      from += next.length;
      for (const [hit, chunk] of await this.#shown.of(next)) {
        hits.push(hitOf(hits.length + 1, hit, chunk, await this.#open(chunk, terms.get(hit.chunkId) ?? []), this.#request));
      }
    }
    return hits;
  }

  /**
   * Opens, one in each turn of the event loop until `isOver`, what words alone rank first: most of it is shown in the end, and while
   * the query is embedded this thread has nothing to do. What goes wrong here is told by `best`, if it matters.
   */
  async ahead(lexical: readonly LexicalHit[], isOver: () => boolean): Promise<void> {
    try {
      for (const [{ terms }, chunk] of await this.#shown.of(lexical.slice(0, this.#request.topK))) {
        await nextTurn();
        if (isOver()) return;
        await this.#open(chunk, terms);
      }
    } catch {
      // Not this search's yet.
    }
  }

  async #open(chunk: VisibleChunk, terms: readonly string[]): Promise<Opened> {
    const { chunkId, scope, contentHash, sealedText } = chunk;
    secondLook(this.#access, chunk);
    const known = this.#opened.get(chunkId);
    if (known?.contentHash === contentHash) return known;
    const text = openText(await this.#keys.cipher({ tenant: this.#access.tenant, scope }), chunkId, sealedText);
    const opened = { contentHash, text, terms, snippet: snippetOf(text.text, terms, this.#request) };
    this.#opened.set(chunkId, opened);
    return opened;
  }
}
