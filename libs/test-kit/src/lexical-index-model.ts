import { matches, type Filter } from '@palimpsest/knowledge/access';
import { NO_LEXICAL_SPREAD, spreadOf, type LexicalPut, type LexicalSpread } from '@palimpsest/knowledge/read-models';
import type { WordConditions } from '@palimpsest/knowledge/selections';
import { weightedTexts } from '@palimpsest/knowledge/texts';
import type { ChunkId } from '@palimpsest/knowledge/values';
import type { LexicalWrite } from './lexical-index-fixture.ts';

const K1 = 1.2;
const B = 0.75;

/** The expected contents of a partition with textbook BM25 (Robertson; idf as in Lucene), for plain words separated by spaces. */
export class LexicalModel {
  readonly #puts = new Map<ChunkId, LexicalPut>();

  apply(writes: readonly LexicalWrite[]): void {
    for (const write of writes) {
      if (write.write === 'put') this.#puts.set(write.chunkId, write);
      else this.#puts.delete(write.chunkId);
    }
  }

  /** Sorted by chunk id. */
  get puts(): readonly LexicalPut[] {
    return [...this.#puts.values()].sort((a, b) => (a.chunkId < b.chunkId ? -1 : 1));
  }

  satisfies(chunkId: ChunkId, filter: Filter): boolean {
    const put = this.#puts.get(chunkId);
    return put !== undefined && matches(filter, put.attributes);
  }

  /** The distinct words of the query in a chunk, sorted. */
  held(chunkId: ChunkId, query: string): readonly string[] {
    const words = this.#wordsIn(chunkId);
    return [...new Set(wordsOf(query))].filter((word) => words.includes(word)).sort();
  }

  #wordsIn(chunkId: ChunkId): readonly string[] {
    const put = this.#puts.get(chunkId);
    return put === undefined ? [] : indexedWords(put);
  }

  /** In float64, with the true average length. A word that the query repeats counts up to three times. */
  score(chunkId: ChunkId, query: string): number {
    const all = this.puts.map(indexedWords);
    const text = this.#wordsIn(chunkId);
    const average = all.reduce((sum, words) => sum + words.length, 0) / all.length;
    const asked = wordsOf(query);
    return this.held(chunkId, query).reduce((sum, word) => {
      const df = all.filter((words) => words.includes(word)).length;
      const idf = Math.log(1 + (all.length - df + 0.5) / (df + 0.5));
      const tf = count(text, word);
      return sum + (Math.min(3, count(asked, word)) * idf * tf) / (tf + K1 * (1 - B + (B * text.length) / average));
    }, 0);
  }

  /** Sorted by chunk id. An entry without words is no condition. */
  selected({ required, excluded }: WordConditions): readonly ChunkId[] {
    const has = (put: LexicalPut, entry: string): boolean => wordsOf(entry).every((word) => indexedWords(put).includes(word));
    const satisfying = this.puts.filter(
      (put) => required.every((entry) => has(put, entry)) && !excluded.some((entry) => wordsOf(entry).length > 0 && has(put, entry)),
    );
    return satisfying.map(({ chunkId }) => chunkId);
  }

  ignored({ required, excluded }: WordConditions): readonly string[] {
    return [...new Set([...required, ...excluded])].filter((entry) => wordsOf(entry).length === 0);
  }

  frequency(word: string): number {
    return this.puts.filter((put) => indexedWords(put).includes(word)).length;
  }

  /** In the named language, or in the most frequent language of the query's script; supports two scripts. */
  spread(query: string, named?: string): LexicalSpread {
    const count = this.puts.length;
    if (count === 0) return NO_LEXICAL_SPREAD;
    const asked = wordsOf(query);
    const words = [...new Set(asked)].sort();
    const repeated = (word: string) =>
      Array.from({ length: Math.min(3, asked.filter((other) => other === word).length) }, () => word).join(' ');
    const ofWords = words.map((word) => spreadOf(this.puts.map(({ chunkId }) => this.score(chunkId, repeated(word)))));
    const most = words.map((word) => {
      const df = this.frequency(word);
      const repeats = Math.min(3, asked.filter((other) => other === word).length);
      return { isKnown: df > 0, weight: repeats * Math.log(1 + (count - df + 0.5) / (df + 0.5)) };
    });
    const attainable = most.reduce((sum, { weight }) => sum + weight, 0);
    const ofKnown = most.reduce((sum, { isKnown, weight }) => (isKnown ? sum + weight : sum), 0);
    return {
      count,
      attainable,
      known: attainable > 0 ? ofKnown / attainable : 0,
      language: this.puts.find(({ language }) => language === named)?.language ?? this.#mainLanguage(/\p{Script=Cyrillic}/u.test(query)),
      mean: ofWords.reduce((sum, { mean }) => sum + mean, 0),
      deviation: Math.sqrt(ofWords.reduce((sum, { deviation }) => sum + deviation ** 2, 0)),
    };
  }

  #mainLanguage(isCyrillic: boolean): string {
    const counts = new Map<string, number>();
    for (const { language } of this.puts)
      if (language !== 'und' && (language === 'ru') === isCyrillic) counts.set(language, (counts.get(language) ?? 0) + 1);
    return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0] ?? 'und';
  }
}

/** Those of a field as often as its weight says. */
const indexedWords = (put: LexicalPut): readonly string[] =>
  weightedTexts(put).flatMap(({ text, weight }) => Array.from({ length: weight }, () => wordsOf(text)).flat());

const wordsOf = (text: string): readonly string[] => text.split(' ').filter((word) => word !== '');
const count = (words: readonly string[], wanted: string): number => words.filter((word) => word === wanted).length;
