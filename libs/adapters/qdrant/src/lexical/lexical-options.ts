import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { QdrantOptions } from '../connection/options.ts';
import type { CollectionPlan } from '../partitions/collections.ts';
import { collectionName } from '../partitions/names.ts';
import { POINT_INDEXES } from '../partitions/partition-points.ts';
import { countTerms, type Bm25Shape } from './sparse-terms.ts';

export type QdrantLexicalOptions = QdrantOptions &
  Readonly<{
    /** The terms of a text in one language, in order, including repetitions. */
    analyse: (text: string, language: string) => readonly string[];
    /** Changes when `analyse` does: a collection holds the terms of one analyser version, another version starts a new collection. */
    analyserVersion: string;
    /** Terms of a query with their weights, for a partition with these languages. @default all languages' terms, each at most 3 times */
    analyseQuery?: (text: string, languages: readonly string[]) => ReadonlyMap<string, number>;
    /** The language of a query, among those of a partition. @default `und` */
    queryLanguage?: (text: string, languages: readonly string[]) => string;
    /** How soon repetitions of a word stop counting: 0 or more. @default 1.2 */
    k1?: number;
    /** How much length counts against a chunk: 0-1. @default 0.75 */
    b?: number;
    /** Average number of terms of a chunk. Fixed, since it is part of every stored weight. @default 150 */
    averageLength?: number;
    /** How long a new language of another process may stay unknown here, in ms. @default 5,000 */
    languagesMaxAgeMs?: number;
  }>;

export const TERMS = 'terms';

const MAX_QUERY_FREQUENCY = 3;

/** @throws InvalidValue naming the option */
export const bm25Shape = ({ k1 = 1.2, b = 0.75, averageLength = 150 }: QdrantLexicalOptions): Bm25Shape => {
  if (!(k1 >= 0 && k1 <= 1000)) throw new InvalidValue('k1', 'a number from 0 to 1000', k1);
  if (!(b >= 0 && b <= 1)) throw new InvalidValue('b', 'a number from 0 to 1', b);
  if (!(averageLength >= 1 && averageLength <= 1e9)) throw new InvalidValue('averageLength', 'a number from 1 to 1e9', averageLength);
  return { k1, b, averageLength };
};

/** All tenants share one collection: its idf counts over all of them. Its name contains everything else that a stored weight depends on. */
export const lexicalPlan = (prefix: string, analyserVersion: string, { k1, b, averageLength }: Bm25Shape): CollectionPlan => ({
  name: collectionName(prefix, 'lexical', JSON.stringify([analyserVersion, k1, b, averageLength])),
  create: { vectors: {}, sparse_vectors: { [TERMS]: { modifier: 'idf' } } },
  indexes: POINT_INDEXES,
});

export const analyseIn =
  (analyse: QdrantLexicalOptions['analyse']) =>
  (text: string, languages: readonly string[]): ReadonlyMap<string, number> => {
    const united = new Map<string, number>();
    for (const language of languages)
      for (const [term, frequency] of countTerms(analyse(text, language)))
        united.set(term, Math.max(united.get(term) ?? 0, Math.min(frequency, MAX_QUERY_FREQUENCY)));
    return united;
  };
