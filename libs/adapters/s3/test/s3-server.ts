import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ServerProcess, type BlobStoreUnderTest } from '@palimpsest/test-kit';
import { openS3BlobStore } from '../src/open-s3-blob-store.ts';
import type { S3BlobStoreOptions } from '../src/s3-options.ts';

/** On first use, the server is compiled. */
export const BUILD_MS = 15 * 60_000;

export type S3Access = Required<Pick<S3BlobStoreOptions, 'endpoint' | 'region' | 'bucket' | 'accessKeyId' | 'secretAccessKey'>>;

/** The repository's own S3 server, with fault injection. */
export class S3Server {
  readonly process: ServerProcess;
  readonly #folder: string;

  private constructor(process: ServerProcess, folder: string) {
    this.process = process;
    this.#folder = folder;
  }

  static async start(): Promise<S3Server> {
    await promisify(execFile)(process.execPath, [fileURLToPath(new URL('../../../../tools/s3/build.mjs', import.meta.url))]);
    const folder = await mkdtemp(join(tmpdir(), 'palimpsest-s3-'));
    return new S3Server(await ServerProcess.start('s3', ['--data', folder, '--port', String(await freePort())]), folder);
  }

  get access(): S3Access {
    const { process: server } = this;
    const [accessKeyId, secretAccessKey] = [server.line('access-key'), server.line('secret-key')];
    return { endpoint: server.address, region: server.line('region'), bucket: server.line('bucket'), accessKeyId, secretAccessKey };
  }

  /** Requests faults, as `tools/s3/faults.mjs` describes them. */
  async fault(...faults: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
    await this.#control('POST', JSON.stringify(faults));
  }

  /** How many faults were injected since the last `noFaults`, by kind. */
  async done(): Promise<Readonly<Record<string, number>>> {
    return (await this.#control('GET')).done;
  }

  async seen(): Promise<Readonly<Record<string, number>>> {
    return (await this.#control('GET')).seen;
  }

  async noFaults(): Promise<void> {
    await this.#control('DELETE');
  }

  async dispose(): Promise<void> {
    await this.process.stop();
    await rm(this.#folder, { recursive: true });
  }

  async #control(method: string, body?: string): Promise<Readonly<Record<'done' | 'seen', Readonly<Record<string, number>>>>> {
    const answer = await fetch(`${this.process.line('control')}/faults`, { method, ...(body === undefined ? {} : { body }) });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as Readonly<Record<'done' | 'seen', Readonly<Record<string, number>>>>;
  }
}

/** The server that the environment names, or our own: for the kits. */
export const startS3 = async (): Promise<Readonly<{ access: S3Access; dispose: () => Promise<void> }>> => {
  const given = accessFromEnvironment();
  if (given !== undefined) return { access: given, dispose: async () => undefined };
  const server = await S3Server.start();
  return { access: server.access, dispose: () => server.dispose() };
};

const accessFromEnvironment = (): S3Access | undefined => {
  const endpoint = process.env['S3_ENDPOINT'];
  if (!endpoint) return undefined;
  const required = (name: string): string => {
    const value = process.env[name];
    if (!value) throw new Error(`S3_ENDPOINT is set, so ${name} must be set too`);
    return value;
  };
  return {
    endpoint,
    region: process.env['S3_REGION'] ?? 'us-east-1',
    bucket: required('S3_BUCKET'),
    accessKeyId: required('S3_ACCESS_KEY_ID'),
    secretAccessKey: required('S3_SECRET_ACCESS_KEY'),
  };
};

export const bareClient = ({ endpoint, region, accessKeyId, secretAccessKey }: S3Access): S3Client =>
  new S3Client({ endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } });

/** A separate store in the bucket, which another process can open too. */
export const aStore = async (access: S3Access, more: Partial<S3BlobStoreOptions> = {}): Promise<BlobStoreUnderTest> => {
  const options = { ...access, prefix: `test/${randomUUID()}`, ...more };
  const opened = [await openS3BlobStore(options)];
  const [store] = opened as [Awaited<ReturnType<typeof openS3BlobStore>>];
  return {
    store,
    reopen: async () => {
      const other = await openS3BlobStore(options);
      opened.push(other);
      return other;
    },
    damage: (key) => damage(access, `${options.prefix}/${key}~bin`),
    dispose: async () => {
      for await (const key of store.list('')) await store.delete(key);
      for (const one of opened) await one.close();
    },
  };
};

/** Writes other bytes with the same metadata: like a corrupting disk behind a gateway that does not verify. */
const damage = async (access: S3Access, name: string): Promise<void> => {
  const client = bareClient(access);
  const object = { Bucket: access.bucket, Key: name };
  const found = await client.send(new GetObjectCommand(object));
  const bytes = (await found.Body?.transformToByteArray()) ?? new Uint8Array();
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  await client.send(new PutObjectCommand({ ...object, Body: bytes, ...(found.Metadata ? { Metadata: found.Metadata } : {}) }));
  client.destroy();
};

export const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
};
