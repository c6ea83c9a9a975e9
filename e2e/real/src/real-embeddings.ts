import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openOnnxEmbeddings } from '@palimpsest/adapters-onnx';
import type { EmbeddingProvider } from '@palimpsest/knowledge/ports';

type EmbeddingRequest = Readonly<{ input: string | readonly string[]; encoding_format?: string }>;

/**
 * Serves the built-in model as OpenAI's `/embeddings` and computes each text only once. The two installations to compare get the same
 * vectors without computing them twice.
 */
export class RealEmbeddings {
  readonly #provider: EmbeddingProvider;
  readonly #known = new Map<string, Promise<Float32Array>>();
  readonly #server: Server;

  private constructor(provider: EmbeddingProvider) {
    this.#provider = provider;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async open(): Promise<RealEmbeddings> {
    const opened = new RealEmbeddings(await openOnnxEmbeddings({ threads: 2 }));
    await new Promise<void>((listening) => opened.#server.listen(0, '127.0.0.1', listening));
    return opened;
  }

  settings(): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      PALIMPSEST_OPENAI_MODEL: 'all-minilm',
      PALIMPSEST_OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      PALIMPSEST_OPENAI_DIMENSIONS: '384',
      PALIMPSEST_OPENAI_API_KEY: 'any',
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
    await this.#provider.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { input, encoding_format: format } = JSON.parse(Buffer.concat(parts).toString()) as EmbeddingRequest;
    const vectors = await Promise.all([input].flat().map((text) => this.#vectorOf(text)));
    const encode = (vector: Float32Array) =>
      format === 'base64' ? Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64') : [...vector];
    const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encode(vector) }));
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ object: 'list', data, model: 'all-minilm', usage: { prompt_tokens: 1, total_tokens: 1 } }));
  }

  #vectorOf(text: string): Promise<Float32Array> {
    const known =
      this.#known.get(text) ?? this.#provider.embed([text], 'passage').then(([embedding]) => embedding?.vector ?? new Float32Array());
    this.#known.set(text, known);
    return known;
  }
}
