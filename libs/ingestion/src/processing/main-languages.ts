import { SYSTEM } from '@palimpsest/foundation';
import type { Catalog, LanguageCount } from '@palimpsest/knowledge/read-models';
import { isWrittenLike } from '@palimpsest/knowledge/texts';
import type { KnowledgeBaseId, TenantScope } from '@palimpsest/knowledge/values';

/** Maximum age of a count: many short documents may arrive in a row. */
const MAX_AGE_MS = 2_000;
/** Number of scopes whose counts are cached. */
const MAX_CACHED = 1_000;

type Counted = Readonly<{ counts: readonly LanguageCount[]; at: number }>;

/**
 * The language for a text that is too short to detect its own: the language of most chunks in its knowledge base, or otherwise in its
 * scope, that uses the script of the text. Words of a text without a language are not stemmed, so only their exact form would be found.
 */
export class MainLanguages {
  readonly #catalog: Pick<Catalog, 'languages'>;
  readonly #now: () => number;
  readonly #counted = new Map<string, Counted>();

  constructor(catalog: Pick<Catalog, 'languages'>, now: () => number = () => SYSTEM.clock.elapsed()) {
    this.#catalog = catalog;
    this.#now = now;
  }

  /** Returns `und` if neither has a language that fits. */
  async of(scope: TenantScope, knowledgeBase: KnowledgeBaseId, text: string): Promise<string> {
    const counts = (await this.#counts(scope)).filter(({ language }) => language !== 'und' && isWrittenLike(language, text));
    return maxOf(counts.filter((count) => count.knowledgeBase === knowledgeBase)) ?? maxOf(counts) ?? 'und';
  }

  async #counts(scope: TenantScope): Promise<readonly LanguageCount[]> {
    const key = `${scope.tenant}/${scope.scope}`;
    const known = this.#counted.get(key);
    if (known !== undefined && this.#now() - known.at < MAX_AGE_MS) return known.counts;
    const counts = await this.#catalog.languages(scope);
    this.#counted.delete(key);
    this.#counted.set(key, { counts, at: this.#now() });
    const [oldest] = this.#counted.keys();
    if (this.#counted.size > MAX_CACHED && oldest !== undefined) this.#counted.delete(oldest);
    return counts;
  }
}

const maxOf = (counts: readonly LanguageCount[]): string | undefined => {
  const chunks = new Map<string, number>();
  for (const count of counts) chunks.set(count.language, (chunks.get(count.language) ?? 0) + count.chunks);
  const [max] = [...chunks].sort(([one, x], [other, y]) => y - x || (one < other ? -1 : 1));
  return max?.[0];
};
