/** Entries are one or several words. A chunk has an entry if it contains all of its words, as its language inflects them. */
export type WordConditions = Readonly<{
  /** A chunk must have each of them. */
  required: readonly string[];
  /** A chunk must have none of them. */
  excluded: readonly string[];
}>;

/**
 * Limits a search to some chunks of a partition, or to all others. Ids are four 32-bit words each, most significant first, in the order of
 * the ids and without repetition.
 */
export type ChunkSelection = Readonly<{ only: Uint32Array }> | Readonly<{ except: Uint32Array }>;

/**
 * `count`: number of selected chunks. `ignored`: entries without a word that is indexed in the language of the query, such as its stop
 * words. They are no conditions: no index knows which chunks contain them.
 */
export type SelectedChunks = Readonly<{ chunks: ChunkSelection; count: number; ignored: readonly string[] }>;

/** A chunk has an entry if it contains all terms of one of its readings. */
export type EntryReadings = readonly (readonly string[])[];

export type TermConditions = Readonly<{
  required: readonly EntryReadings[];
  excluded: readonly EntryReadings[];
  ignored: readonly string[];
}>;

/**
 * The terms that satisfy the conditions in a partition. An entry has one reading for each language, since each chunk was analysed in its
 * own. `own`: the language of the query.
 */
export const termConditions = (
  { required, excluded }: WordConditions,
  { own, languages }: Readonly<{ own: string; languages: readonly string[] }>,
  analyse: (entry: string, language: string) => readonly string[],
): TermConditions => {
  const ignored = new Set<string>();
  const readingsOf = (entry: string): readonly EntryReadings[] => {
    if (analyse(entry, own).length === 0) {
      ignored.add(entry);
      return [];
    }
    const readings = new Map<string, readonly string[]>();
    for (const language of new Set([own, ...languages])) {
      const terms = [...new Set(analyse(entry, language))].sort();
      if (terms.length > 0) readings.set(JSON.stringify(terms), terms);
    }
    return [[...readings.values()]];
  };
  return { required: required.flatMap(readingsOf), excluded: excluded.flatMap(readingsOf), ignored: [...ignored] };
};

/** Whether a chunk with these terms is selected. */
export const satisfiesTerms = ({ required, excluded }: TermConditions, terms: ReadonlySet<string>): boolean => {
  const has = (entry: EntryReadings): boolean => entry.some((reading) => reading.every((term) => terms.has(term)));
  return required.every(has) && !excluded.some(has);
};
