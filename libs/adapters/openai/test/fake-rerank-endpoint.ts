import type { IncomingMessage, ServerResponse } from 'node:http';
import { aFakeReranker } from '@palimpsest/test-kit';
import { startLoopbackServer } from './loopback-server.ts';

export type RerankRequest = Readonly<{ model: string; query: string; documents: readonly string[]; top_n: number }>;
/** Replaces the default response. `scores`: those of the default response. */
export type RerankMisbehaviour = (response: ServerResponse, request: RerankRequest, scores: readonly number[]) => void;

export type FakeRerankEndpoint = Readonly<{
  url: string;
  requests: readonly (RerankRequest & Readonly<{ path: string | undefined; authorization: string | undefined }>)[];
  /** Number of requests that the client aborted before they were answered. */
  aborted: () => number;
  /** The next requests get these responses, one each; later requests get the default response. */
  next: (...misbehaviours: RerankMisbehaviour[]) => void;
  close: () => Promise<void>;
}>;

const bodyOf = async (request: IncomingMessage): Promise<RerankRequest> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString()) as RerankRequest;
};

export const answering =
  (body: (scores: readonly number[]) => unknown, status = 200, headers: Record<string, string> = {}): RerankMisbehaviour =>
  (response, _, scores) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body(scores)));
  };

export const resultsOf = (scores: readonly number[]) => scores.map((score, index) => ({ index, relevance_score: score }));

/** Best first, as most endpoints return them. */
const byDefault = answering((scores) => ({ results: resultsOf(scores).sort((a, b) => b.relevance_score - a.relevance_score) }));

/** A local server with `/v1/rerank`, which misbehaves on request, or for every request. */
export const startFakeRerankEndpoint = async (always: RerankMisbehaviour = byDefault): Promise<FakeRerankEndpoint> => {
  const requests: FakeRerankEndpoint['requests'][number][] = [];
  const misbehaviours: RerankMisbehaviour[] = [];
  let aborted = 0;
  const overlap = aFakeReranker();

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('close', () => (aborted += response.writableFinished ? 0 : 1));
    const body = await bodyOf(request);
    requests.push({ ...body, path: request.url, authorization: request.headers.authorization });
    const scores = await overlap.score(
      body.query,
      body.documents.map((text) => ({ title: '', context: '', text })),
    );
    (misbehaviours.shift() ?? always)(response, body, scores);
  };
  return {
    ...(await startLoopbackServer(answer)),
    requests,
    aborted: () => aborted,
    next: (...more) => misbehaviours.push(...more),
  };
};
