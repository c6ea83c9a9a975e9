/** A passage as a reranker reads it. `context`: the headings above the text; may be empty, as may the title. */
export type RerankPassage = Readonly<{ title: string; context: string; text: string }>;

/**
 * Scores passages by how well they answer a query. Promises, all checked by `describeReranker`:
 * - one finite score per passage, in the order of the passages, higher for a better one. Scores are comparable within one call only;
 * - no passages: no scores, and nothing is called;
 * - a passage of any length and with any characters is scored: what exceeds the window is not read. Title and context are read first;
 * - an answer that is not one finite score per passage is Unavailable, never a guess;
 * - the message of an error contains no texts, keys or addresses, and no words of an endpoint: callers see it;
 * - an aborted signal ends the call with the reason of the signal; after `close`, calls are Unavailable.
 */
export interface Reranker {
  /** Recorded with each retrieval. A reranker that scores otherwise has another version. */
  readonly version: string;
  /** @throws Unavailable, Overloaded */
  score(query: string, passages: readonly RerankPassage[], signal?: AbortSignal): Promise<readonly number[]>;
  close(): Promise<void>;
}
