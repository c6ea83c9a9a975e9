import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Seen = Readonly<{ method: string; url: string; headers: IncomingMessage['headers']; body: Buffer }>;
export type Answer = Readonly<{ status?: number; headers?: Record<string, string>; json?: unknown; text?: string }>;

/** A real HTTP server that returns the responses that a test sets, and records the requests. */
export class FakeServer {
  readonly seen: Seen[] = [];
  readonly #server: Server;
  #answer: (request: Seen) => Answer | 'hang up' = () => ({ json: {} });

  private constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const seen = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) };
        this.seen.push(seen);
        const answer = this.#answer(seen);
        if (answer === 'hang up') return void request.socket.destroy();
        const { status = 200, headers = {}, json, text } = answer;
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(text ?? (json === undefined ? undefined : JSON.stringify(json)));
      });
    });
  }

  static async open(): Promise<FakeServer> {
    const fake = new FakeServer();
    await new Promise<void>((listening) => fake.#server.listen(0, '127.0.0.1', listening));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Answers each request with this function from now on. */
  answers(answer: (request: Seen) => Answer | 'hang up'): void {
    this.#answer = answer;
  }

  /** Returns these responses in order, then repeats the last one. */
  answersInTurn(...answers: readonly (Answer | 'hang up')[]): void {
    let turn = 0;
    this.#answer = () => answers[Math.min(turn++, answers.length - 1)] ?? {};
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}
