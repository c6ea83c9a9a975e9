import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ReceivedRequest = Readonly<{
  route: string;
  query: URLSearchParams;
  key: string | undefined;
  json: Record<string, unknown>;
  body: string;
}>;
export type Reply = Readonly<{ status?: number; headers?: Record<string, string>; json?: unknown; text?: string }>;
type Handler = (request: ReceivedRequest) => Reply | Promise<Reply>;

/**
 * An HTTP server like the platform. Specs define its responses: `on('GET /v1/status', () => ({ json: … }))`.
 * A route may end in `*`. Every other route returns a 404 problem.
 */
export class FakePlatform {
  readonly requests: ReceivedRequest[] = [];
  readonly #handlers = new Map<string, Handler>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#reply(request).then(({ status = 200, headers = {}, json = {}, text }) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(text ?? JSON.stringify(json));
      });
    });
  }

  static async open(): Promise<FakePlatform> {
    const fake = new FakePlatform();
    await new Promise<void>((listening) => fake.#server.listen(0, '127.0.0.1', listening));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  on(route: string, handler: Handler): this {
    this.#handlers.set(route, handler);
    return this;
  }

  /** Every request to a route, in order. */
  requestsTo(route: string): readonly ReceivedRequest[] {
    return this.requests.filter((request) => request.route === route);
  }

  /** Closes every connection without a response. */
  disconnect(): void {
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  async #reply(request: IncomingMessage): Promise<Reply> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const url = new URL(request.url ?? '/', 'http://fake');
    const body = Buffer.concat(parts).toString();
    const isJson = request.headers['content-type'] === 'application/json';
    const received: ReceivedRequest = {
      route: `${request.method} ${decodeURIComponent(url.pathname)}`,
      query: url.searchParams,
      key: request.headers.authorization,
      json: isJson ? (JSON.parse(body) as Record<string, unknown>) : {},
      body,
    };
    this.requests.push(received);
    const prefix = [...this.#handlers.keys()].find((route) => route.endsWith('*') && received.route.startsWith(route.slice(0, -1)));
    const handler = this.#handlers.get(received.route) ?? (prefix === undefined ? undefined : this.#handlers.get(prefix));
    return handler?.(received) ?? problem(404, 'NotFound', `nothing at ${received.route}`);
  }
}

export const problem = (status: number, code: string, detail: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  json: { type: 'about:blank', title: code, status, code, detail },
});
