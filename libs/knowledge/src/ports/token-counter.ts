/** Counts tokens like a language model; used for chunk sizes and context budgets. */
export interface TokenCounter {
  /** For example `o200k_base`. Part of the ChunkingVersion, since another counter gives other chunks. */
  readonly name: string;
  count(text: string): number;
  /** UTF-16 offsets at which each token starts, ascending, the first 0; offsets inside a surrogate pair are omitted. Can be lazy. */
  tokenStarts(text: string): Iterable<number>;
}
