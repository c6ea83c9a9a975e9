import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BACKGROUND_TEXTS, CANARY_STRINGS } from '@palimpsest/knowledge/models';
import { embeddingVersionOf } from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider, type FakeEmbeddingProvider } from '@palimpsest/test-kit/fake-embeddings';
import type { Settings } from './platform-under-test.ts';
import { afterSuite } from './tidy-up.ts';

const DEFAULT_DIMENSIONS = 64;
/** What the platform embeds without being asked. */
const FIXED_TEXTS = new Set([...CANARY_STRINGS, ...BACKGROUND_TEXTS]);

/**
 * A server for OpenAI's `/embeddings` that embeds bags of words, records its requests, and can be delayed or made to fail. Texts with
 * equal words get equal vectors, in every run.
 */
export class EmbeddingStandIn {
  /** Every text that it received, in order, without canary strings and unrelated passages. */
  readonly texts: string[] = [];
  /** Awaited before each response. */
  beforeAnswer: (texts: readonly string[]) => Promise<void> = () => Promise.resolve();
  /** The model that answers under every name: one that was exchanged. */
  exchangedFor: string | undefined;
  /** Each text gets the vector of the text before it: a model that mixes up its texts, but not the canary strings. */
  mixesUp = false;
  /** Texts that get another vector each time: a model that works for some texts only. */
  unsteady: (text: string) => boolean = () => false;
  #turns = 0;
  #last: Float32Array | undefined;
  /** Requests with a matching text fail with this status. */
  refusal: Readonly<{ when: (text: string) => boolean; status: number }> | undefined;
  readonly #server: Server;
  readonly #models = new Map<string, FakeEmbeddingProvider>();

  readonly #dimensions: number;

  private constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async open(dimensions = DEFAULT_DIMENSIONS): Promise<EmbeddingStandIn> {
    const standIn = new EmbeddingStandIn(dimensions);
    await new Promise<void>((listening) => standIn.#server.listen(0, '127.0.0.1', listening));
    afterSuite(() => standIn.#close());
    return standIn;
  }

  /** Settings that make a platform use this server. */
  settings(model = 'stand-in'): Settings {
    const { port } = this.#server.address() as AddressInfo;
    return {
      PALIMPSEST_OPENAI_MODEL: model,
      PALIMPSEST_OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      PALIMPSEST_OPENAI_DIMENSIONS: String(this.#dimensions),
      PALIMPSEST_OPENAI_API_KEY: 'any',
    };
  }

  /** The texts that were received while `work` ran. */
  async askedDuring(work: () => Promise<unknown>): Promise<readonly string[]> {
    const before = this.texts.length;
    await work();
    return this.texts.slice(before);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { model, input } = JSON.parse(Buffer.concat(parts).toString()) as { model: string; input: string[] };
    const texts = input.filter((text) => !FIXED_TEXTS.has(text));
    this.texts.push(...texts);
    await this.beforeAnswer(texts);
    const refused = this.refusal !== undefined && input.some(this.refusal.when);
    response.writeHead(refused ? (this.refusal?.status ?? 400) : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(refused ? { error: { message: 'refused', type: 'test' } } : await this.#embeddings(this.exchangedFor ?? model, input)),
    );
  }

  async #embeddings(model: string, input: readonly string[]): Promise<unknown> {
    const provider =
      this.#models.get(model) ??
      aFakeEmbeddingProvider({ version: embeddingVersionOf({ provider: 'openai', model, dimensions: this.#dimensions }) });
    this.#models.set(model, provider);
    const made = await provider.embed(input, 'passage');
    const data = made.map(({ vector }, index) => ({
      object: 'embedding',
      index,
      embedding: [...this.#answered(vector, input[index] ?? '')],
    }));
    const tokens = made.reduce((sum, embedding) => sum + embedding.tokens, 0);
    return { object: 'list', model, data, usage: { prompt_tokens: tokens, total_tokens: tokens } };
  }

  #answered(vector: Float32Array, text: string): Float32Array {
    if (CANARY_STRINGS.includes(text)) return vector;
    if (this.unsteady(text)) return turned(vector, ++this.#turns);
    const before = this.#last ?? vector;
    this.#last = vector;
    return this.mixesUp ? before : vector;
  }

  async #close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

/** The same numbers in other places. */
const turned = (vector: Float32Array, by: number): Float32Array => vector.map((_, i) => vector[(i + by) % vector.length] ?? 0);
