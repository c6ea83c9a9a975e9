/** `system`: instructions of the platform. Texts of users and documents belong into the messages of a `user`. */
export type ChatMessage = Readonly<{ role: 'system' | 'user' | 'assistant'; content: string }>;

/** `maxTokens`: maximum length of the answer, in tokens of the model. */
export type ChatRequest = Readonly<{ messages: readonly ChatMessage[]; maxTokens: number }>;

/**
 * Answers messages with a text. Promises, all checked by `describeChatModel`:
 * - the whole answer or none: one that was cut off at `maxTokens`, or is blank, is Unavailable;
 * - the likeliest answer is requested, not a random one. Whether the same messages always get the same answer depends on the model;
 * - the message of an error contains no texts, keys or addresses, and no words of an endpoint: callers see it;
 * - an aborted signal ends the call with the reason of the signal; after `close`, which may be called twice, calls are Unavailable.
 */
export interface ChatModel {
  /** Recorded with what is derived from its answers. */
  readonly version: string;
  /** @throws Unavailable, Overloaded */
  answer(request: ChatRequest, signal?: AbortSignal): Promise<string>;
  close(): Promise<void>;
}
