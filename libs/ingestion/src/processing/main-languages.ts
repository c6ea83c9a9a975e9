import { isWrittenLike, type Catalog, type KnowledgeBaseId, type LanguageCount, type TenantScope } from '@palimpsest/knowledge';

/** How old a count may be: many short documents come one after the other. */
const MAX_AGE_MS = 2_000;
/** Scopes whose counts are remembered. */
const REMEMBERED = 1_000;

type Counted = Readonly<{ counts: readonly LanguageCount[]; at: number }>;

/**
 * The language of a text that is too short to tell its own: that of most chunks of its knowledge base, or else of its scope, if the
 * text is written in the same letters. Words of a text without a language are not stemmed: they would be found in one form only.
 */
export class MainLanguages {
  readonly #catalog: Pick<Catalog, 'languages'>;
  readonly #now: () => number;
  readonly #counted = new Map<string, Counted>();

  constructor(catalog: Pick<Catalog, 'languages'>, now: () => number = () => performance.now()) {
    this.#catalog = catalog;
    this.#now = now;
  }

  /** `und` when neither has one that fits. */
  async of(scope: TenantScope, knowledgeBase: KnowledgeBaseId, text: string): Promise<string> {
    const counts = (await this.#counts(scope)).filter(({ language }) => language !== 'und' && isWrittenLike(language, text));
    return mostOf(counts.filter((count) => count.knowledgeBase === knowledgeBase)) ?? mostOf(counts) ?? 'und';
  }

  async #counts(scope: TenantScope): Promise<readonly LanguageCount[]> {
    const key = `${scope.tenant}/${scope.scope}`;
    const known = this.#counted.get(key);
    if (known !== undefined && this.#now() - known.at < MAX_AGE_MS) return known.counts;
    const counts = await this.#catalog.languages(scope);
    this.#counted.delete(key);
    this.#counted.set(key, { counts, at: this.#now() });
    const [oldest] = this.#counted.keys();
    if (this.#counted.size > REMEMBERED && oldest !== undefined) this.#counted.delete(oldest);
    return counts;
  }
}

const mostOf = (counts: readonly LanguageCount[]): string | undefined => {
  const chunks = new Map<string, number>();
  for (const count of counts) chunks.set(count.language, (chunks.get(count.language) ?? 0) + count.chunks);
  const [most] = [...chunks].sort(([one, x], [other, y]) => y - x || (one < other ? -1 : 1));
  return most?.[0];
};
