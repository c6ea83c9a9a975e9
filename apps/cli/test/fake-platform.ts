import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Asked = Readonly<{
  route: string;
  query: URLSearchParams;
  key: string | undefined;
  json: Record<string, unknown>;
  body: string;
}>;
export type Reply = Readonly<{ status?: number; headers?: Record<string, string>; json?: unknown; text?: string }>;
type Handler = (asked: Asked) => Reply | Promise<Reply>;

/**
 * Speaks HTTP like the platform, as far as a spec says what it answers: `on('GET /v1/status', () => ({ json: … }))`.
 * A route may end in `*`. What is not said is a 404 problem.
 */
export class FakePlatform {
  readonly asked: Asked[] = [];
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
  askedFor(route: string): readonly Asked[] {
    return this.asked.filter((asked) => asked.route === route);
  }

  /** Breaks off every connection, without an answer. */
  cut(): void {
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
    const asked: Asked = {
      route: `${request.method} ${decodeURIComponent(url.pathname)}`,
      query: url.searchParams,
      key: request.headers.authorization,
      json: isJson ? (JSON.parse(body) as Record<string, unknown>) : {},
      body,
    };
    this.asked.push(asked);
    const prefix = [...this.#handlers.keys()].find((route) => route.endsWith('*') && asked.route.startsWith(route.slice(0, -1)));
    const handler = this.#handlers.get(asked.route) ?? (prefix === undefined ? undefined : this.#handlers.get(prefix));
    return handler?.(asked) ?? problem(404, 'NotFound', `nothing at ${asked.route}`);
  }
}

export const problem = (status: number, code: string, detail: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  json: { type: 'about:blank', title: code, status, code, detail },
});
