import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { blobKey } from '@palimpsest/knowledge/ports';
import { openS3BlobStore } from '../src/open-s3-blob-store.ts';
import { BUILD_MS, S3Server } from '../test/s3-server.ts';

const RACER = fileURLToPath(new URL('../test/put-if-absent-racer.ts', import.meta.url));
const PROCESSES = 4;

type Racer = Readonly<{ child: ChildProcessByStdio<Writable, Readable, null>; next: () => Promise<string> }>;

const linesOf = (lines: Interface): (() => Promise<string>) => {
  const reading = lines[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = await reading.next();
    if (done === true) throw new Error('the racer ended');
    return value;
  };
};

describe('writers of an absent blob in several processes', () => {
  let server: S3Server;
  let racers: readonly Racer[];
  const options = () => ({ ...server.access, prefix });
  const prefix = `race/${randomUUID()}`;

  beforeAll(async () => {
    server = await S3Server.start();
    racers = Array.from({ length: PROCESSES }, () => {
      const args = ['--conditions=@palimpsest/source', RACER, JSON.stringify(options())];
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      return { child, next: linesOf(createInterface(child.stdout)) };
    });
    for (const { next } of racers) expect(await next()).toBe('open');
  }, BUILD_MS);
  afterAll(async () => {
    for (const { child } of racers) child.kill('SIGKILL');
    await server.dispose();
  });

  const race = async (key: string): Promise<readonly string[]> => {
    for (const { child } of racers) child.stdin.write(`${key}\n`);
    const lines = await Promise.all(racers.map(({ next }) => next()));
    return lines.flatMap((line) => (JSON.parse(line) as { won: string[] }).won);
  };

  it.each([
    ['on a healthy connection', []],
    ['when answers are lost', [{ kind: 'reset-after', method: 'PUT', times: 6 }]],
    ['when the store is overloaded', [{ kind: 'fail-after', method: 'PUT', times: 6 }]],
  ])('have exactly one winner, which knows that it won, %s', async (_, faults) => {
    const store = await openS3BlobStore(options());
    for (let round = 0; round < 5; round++) {
      const key = `prize/${randomUUID()}`;
      await server.fault(...faults);
      const won = await race(key);
      expect(won).toHaveLength(1);
      expect(Buffer.from((await store.get(blobKey(key))) ?? []).toString()).toBe(won[0]);
    }
    await server.noFaults();
    await store.close();
  });
});
