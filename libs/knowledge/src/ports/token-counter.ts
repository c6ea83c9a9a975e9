/**
 * Counts tokens like a language model; used for chunk sizes and context budgets. Promises, all checked by `describeTokenCounter`:
 * - the same text gives the same tokens; only the empty text has none;
 * - `tokenStarts` begins at 0 and ascends strictly within the text; no start is inside a surrogate pair, so that texts which are cut at
 *   starts consist of whole characters and give the text again when they are joined;
 * - `tokenStarts` has one start for each counted token, except for tokens that start inside a character: ASCII text has none of these.
 */
export interface TokenCounter {
  /** For example `o200k_base`. Part of the ChunkingVersion, since another counter gives other chunks. */
  readonly name: string;
  count(text: string): number;
  /** UTF-16 offsets at which each token starts. Can be lazy. */
  tokenStarts(text: string): Iterable<number>;
}
