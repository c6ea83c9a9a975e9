import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export type FakeStoreFlaws = Readonly<{
  /** How it handles "If-None-Match: *". `late`: checks it only before it has read the bytes. */
  conditional: 'kept' | 'ignored' | 'late' | 'unknown';
  checksums: 'kept' | 'ignored';
  versions?: boolean;
  /** Answers every listing with this refusal. */
  refusal?: Readonly<{ status: number; code: string }>;
}>;

export type FakeStore = Readonly<{ endpoint: string; names: () => readonly string[]; close: () => Promise<void> }>;

/** Answers the few requests that opening a store makes, with the flaws of real stores. Does not check signatures. */
export const startFakeStore = async (flaws: FakeStoreFlaws): Promise<FakeStore> => {
  const objects = new Map<string, Buffer>();
  const server = createServer((asked, answer) => void handle(asked, answer, objects, flaws));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { endpoint: `http://127.0.0.1:${portOf(server)}`, names: () => [...objects.keys()], close: () => closed(server) };
};

const handle = async (
  asked: IncomingMessage,
  answer: ServerResponse,
  objects: Map<string, Buffer>,
  flaws: FakeStoreFlaws,
): Promise<void> => {
  const { pathname, searchParams } = new URL(asked.url ?? '', 'http://store');
  const refuse = (status: number, code: string) => xml(answer, status, `<Error><Code>${code}</Code><Message>no</Message></Error>`);
  if (asked.method === 'DELETE') return (objects.delete(pathname), void answer.writeHead(204).end());
  if (asked.method === 'PUT') return put(asked, answer, refuse, objects, flaws, pathname);
  if (searchParams.has('versioning'))
    return xml(
      answer,
      200,
      `<VersioningConfiguration><Status>${flaws.versions ? 'Enabled' : 'Suspended'}</Status></VersioningConfiguration>`,
    );
  if (flaws.refusal) return refuse(flaws.refusal.status, flaws.refusal.code);
  xml(answer, 200, '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>');
};

const put = async (
  asked: IncomingMessage,
  answer: ServerResponse,
  refuse: (status: number, code: string) => void,
  objects: Map<string, Buffer>,
  { conditional, checksums }: FakeStoreFlaws,
  name: string,
): Promise<void> => {
  const ifAbsent = asked.headers['if-none-match'] === '*';
  if (ifAbsent && conditional === 'unknown') return (asked.resume(), refuse(501, 'NotImplemented'));
  const wasThere = objects.has(name);
  const chunks: Buffer[] = [];
  for await (const chunk of asked) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const sum = createHash('sha256').update(bytes).digest('base64');
  if (checksums === 'kept' && asked.headers['x-amz-checksum-sha256'] !== sum) return refuse(400, 'BadDigest');
  if (conditional === 'late') await sleep(20);
  if (ifAbsent && ((conditional === 'kept' && objects.has(name)) || (conditional === 'late' && wasThere)))
    return refuse(412, 'PreconditionFailed');
  objects.set(name, bytes);
  answer.writeHead(200).end();
};

const xml = (answer: ServerResponse, status: number, body: string): void =>
  void answer.writeHead(status, { 'content-type': 'application/xml' }).end(`<?xml version="1.0" encoding="UTF-8"?>${body}`);

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

const closed = async (server: Server): Promise<void> => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
};
