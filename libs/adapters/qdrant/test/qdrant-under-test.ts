import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerProcess } from '@palimpsest/test-kit';

export type Fault = Readonly<{
  delayMs?: number;
  fail?: Readonly<{ count?: number; mode?: string; when?: 'before' | 'after'; match?: string }>;
  awayMs?: number;
}>;

/** The server of a suite: the real one that QDRANT_URL names, or a test server that starts and ends with the file. */
export class QdrantUnderTest {
  #server: ServerProcess | undefined;
  #folder = '';

  async start(): Promise<void> {
    if (process.env['QDRANT_URL'] !== undefined) return;
    await this.startTestServer();
  }

  /** For tests that only a server owned by the suite allows. */
  async startTestServer(): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'qdrant-server-'));
    this.#server = await ServerProcess.start('qdrant-server', ['--data', this.#folder, '--port', String(await freePort())]);
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    if (this.#folder !== '') await rm(this.#folder, { recursive: true, force: true });
  }

  get process(): ServerProcess {
    if (this.#server === undefined) throw new Error('the suite does not own this server');
    return this.#server;
  }

  /** Where a test server keeps its files. */
  get folder(): string {
    return this.#folder;
  }

  get owned(): boolean {
    return this.#server !== undefined;
  }

  get address(): Readonly<{ url: string; apiKey?: string }> {
    if (this.#server !== undefined) return { url: this.#server.address };
    const apiKey = process.env['QDRANT_API_KEY'];
    return { url: process.env['QDRANT_URL'] ?? '', ...(apiKey === undefined ? {} : { apiKey }) };
  }

  async fault(fault: Fault): Promise<void> {
    const response = await fetch(`${this.process.line('control')}/faults`, { method: 'POST', body: JSON.stringify(fault) });
    if (!response.ok) throw new Error(await response.text());
  }

  async noFaults(): Promise<Readonly<{ met: number; requests: number }>> {
    const response = await fetch(`${this.process.line('control')}/faults`, { method: 'DELETE' });
    return (await response.json()) as { met: number; requests: number };
  }
}

/**
 * A port that the server keeps over restarts. Below the range for outgoing connections: one of
 * them could take the port, or even connect to itself, while the server is down.
 */
const freePort = async (): Promise<number> => {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const probe = createServer();
    const free = await new Promise<boolean>((resolve) =>
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)),
    );
    if (!free) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
};

/** A unique prefix for the collections of each index under test. */
export const aPrefix = (): string => `t${randomBytes(6).toString('hex')}`;
