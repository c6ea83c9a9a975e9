/** Counts tokens as a language model would; for chunk sizes and context budgets. */
export interface TokenCounter {
  /** For example `o200k_base`; part of the ChunkingVersion, since another counter cuts elsewhere. */
  readonly name: string;
  count(text: string): number;
  /** UTF-16 offsets at which each token starts, ascending, the first 0; offsets inside a surrogate pair are left out. May be found as they are asked for. */
  tokenStarts(text: string): Iterable<number>;
}
