import { runCooperatively } from '@palimpsest/foundation';
import { termsOfWord } from '@palimpsest/knowledge/selections';

/** Of each word, in their order; undefined for a word that has no term in one of the languages. */
export type WordTerms = readonly (readonly string[] | undefined)[];

/**
 * The terms of many words, for an index. To find the stem of an unknown word takes some 20 µs in each language: so it is done in small steps,
 * and once for all partitions that are asked for the same words (the same array) at about the same time.
 */
export class TermsOfWords {
  readonly #analyse: (text: string, language: string) => readonly string[];
  readonly #known = new WeakMap<readonly string[], Map<string, Promise<WordTerms>>>();

  constructor(analyse: (text: string, language: string) => readonly string[]) {
    this.#analyse = analyse;
  }

  of(words: readonly string[], languages: readonly string[]): Promise<WordTerms> {
    const known = this.#known.get(words) ?? new Map<string, Promise<WordTerms>>();
    this.#known.set(words, known);
    const key = languages.join();
    const found = known.get(key) ?? runCooperatively(this.#steps(words, languages));
    known.set(key, found);
    return found;
  }

  *#steps(words: readonly string[], languages: readonly string[]): Generator<void, WordTerms> {
    const terms: (readonly string[] | undefined)[] = [];
    for (const word of words) {
      terms.push(termsOfWord(word, languages, this.#analyse));
      yield;
    }
    return terms;
  }
}
