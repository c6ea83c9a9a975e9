import type { IncomingMessage, ServerResponse } from 'node:http';

import { embeddingVersionOf } from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { startLoopbackServer } from './loopback-server.ts';

export type EmbeddingRequest = Readonly<{ model: string; input: readonly string[]; encoding_format: string; dimensions?: number }>;

/** Replaces the default response. */
export type Misbehaviour = (response: ServerResponse, request: EmbeddingRequest) => void;

export type FakeEndpoint = Readonly<{
  url: string;
  requests: readonly (EmbeddingRequest & Readonly<{ authorization: string | undefined }>)[];
  /** Number of requests that the client aborted before they were answered. */
  aborted: () => number;
  /** The next requests get these responses, one each; later requests get the default response. */
  next: (...misbehaviours: Misbehaviour[]) => void;
  close: () => Promise<void>;
}>;

export const DIMENSIONS = 16;

const bagOfWords = aFakeEmbeddingProvider({ version: embeddingVersionOf({ provider: 'fake', model: 'm', dimensions: DIMENSIONS }) });

const encoded = (vector: Float32Array, format: string): string | number[] =>
  format === 'base64' ? Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64') : [...vector];

/** Vectors of length 3, last text first: an endpoint does not guarantee unit length or order. */
const defaultAnswer = async ({ input, encoding_format }: EmbeddingRequest) => {
  const embeddings = await bagOfWords.embed(input, 'passage');
  const data = embeddings.map(({ vector }, index) => ({
    object: 'embedding',
    index,
    embedding: encoded(
      vector.map((value) => value * 3),
      encoding_format,
    ),
  }));
  const tokens = embeddings.reduce((sum, embedding) => sum + embedding.tokens, 0);
  return { object: 'list', model: 'm', data: data.reverse(), usage: { prompt_tokens: tokens, total_tokens: tokens } };
};

const answerJson = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};

export const status =
  (code: number, headers: Record<string, string> = {}, error: object = { message: 'a secret text', type: 'some_type' }): Misbehaviour =>
  (response) =>
    answerJson(response, code, { error }, headers);

const bodyOf = async (request: IncomingMessage): Promise<EmbeddingRequest> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString()) as EmbeddingRequest;
};

/** A local server with OpenAI's `/embeddings`, which misbehaves on request. */
export const startFakeEndpoint = async (): Promise<FakeEndpoint> => {
  const requests: FakeEndpoint['requests'][number][] = [];
  const misbehaviours: Misbehaviour[] = [];
  let aborted = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('close', () => (aborted += response.writableFinished ? 0 : 1));
    const body = await bodyOf(request);
    requests.push({ ...body, authorization: request.headers.authorization });
    const misbehave = misbehaviours.shift();
    if (misbehave !== undefined) misbehave(response, body);
    else if (request.url !== '/v1/embeddings') answerJson(response, 404, {});
    else answerJson(response, 200, await defaultAnswer(body));
  };
  return {
    ...(await startLoopbackServer(answer)),
    requests,
    aborted: () => aborted,
    next: (...more) => misbehaviours.push(...more),
  };
};

/** Changes the default response. */
export const changed =
  (change: (answer: Awaited<ReturnType<typeof defaultAnswer>>) => unknown): Misbehaviour =>
  (response, request) =>
    void defaultAnswer(request).then((answer) => answerJson(response, 200, change(answer)));
