import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** `digests: 'in-headers'`: the list of files names no digests, like that of some mirrors. */
export type StandInRepository = Readonly<{
  files: Readonly<Record<string, string | Buffer>>;
  card?: Readonly<Record<string, unknown>>;
  revisions?: readonly string[];
  gated?: boolean;
  digests?: 'in-headers';
}>;

export type HubRequest = Readonly<{ server: 'hub' | 'cdn'; path: string; authorization: string | undefined; range: string | undefined }>;

type Stored = StandInRepository & Readonly<{ commit: string }>;

/** Files of this size and more are stored as LFS files. */
const LFS_BYTES = 1_000;

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const gitSha1 = (content: Buffer): string => createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

/**
 * A server with the file API of the Hugging Face hub: revisions, digests in the list and in headers, redirects of small files to another
 * path and of large ones to another server (the CDN), ranges. It records its requests, and its faults are set by specs.
 */
export class HubStandIn {
  readonly requests: HubRequest[] = [];
  /** The only token that opens gated repositories. */
  readonly token = 'hf_stand_in_secret';
  /** Responses of these paths end after this many bytes of the file, once for each entry. */
  readonly cuts: { path: string; after: number }[] = [];
  /** Awaited after the bytes before a cut were sent. */
  beforeCut: (path: string, after: number) => Promise<void> = () => Promise.resolve();
  /** Contents that are sent instead of those that the digests are of. */
  readonly replaced = new Map<string, Buffer>();
  /** Added to the list of files. */
  readonly alsoListed: unknown[] = [];
  /** Changes a response's status, by path; once. */
  readonly failures: { path: string; status: number; headers?: Record<string, string> }[] = [];
  /** Awaited before a file is sent. */
  beforeFile: (path: string) => Promise<void> = () => Promise.resolve();
  /** The published versions by repository, the newest first. */
  readonly #repositories = new Map<string, Stored[]>();
  readonly #hub: Server = createServer((request, response) => void this.#onHub(request, response));
  readonly #cdn: Server = createServer((request, response) => void this.#onCdn(request, response));

  static async open(): Promise<HubStandIn> {
    const standIn = new HubStandIn();
    for (const server of [standIn.#hub, standIn.#cdn]) await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return standIn;
  }

  get url(): string {
    return addressOf(this.#hub);
  }

  /** Publishes files as the newest commit, which is returned. Earlier commits stay available. */
  publish(id: string, repository: StandInRepository): string {
    const commit = createHash('sha1')
      .update(JSON.stringify(Object.entries(repository.files)))
      .digest('hex');
    this.#repositories.set(id, [{ ...repository, commit }, ...(this.#repositories.get(id) ?? [])]);
    return commit;
  }

  /** Requests for a file, in order; each may be followed by one to the address that it redirects to. */
  requestsFor(path: string): readonly HubRequest[] {
    return this.requests.filter((request) => request.path.endsWith(`/${path}`));
  }

  async close(): Promise<void> {
    for (const server of [this.#hub, this.#cdn]) {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    }
  }

  async #onHub(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = this.#record('hub', request);
    if (this.#fails(path, response)) return;
    const api = /^\/api\/models\/([^/]+\/[^/]+)\/revision\/(.+)$/.exec(path);
    const file = /^(?:\/api\/resolve-cache\/models)?\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(path);
    const [, id = '', revision = '', name = ''] = api ?? file ?? [];
    const versions = this.#repositories.get(id);
    // Like the hub: without a token, a repository that does not exist looks like a private one.
    if (versions === undefined) return refuse(response, request.headers.authorization === undefined ? 401 : 404, 'RepoNotFound');
    const repository = versions.find(({ commit, revisions = [] }) => [commit, 'main', ...revisions].includes(revision));
    if (repository === undefined) return refuse(response, 404, 'RevisionNotFound');
    if (!this.#opens(repository, request))
      return refuse(response, request.headers.authorization === undefined ? 401 : 403, 'GatedRepo', `Access to ${id} is restricted.`);
    if (api !== null) return this.#list(response, id, repository);

    const content = repository.files[name];
    if (content === undefined) return refuse(response, 404, 'EntryNotFound');
    const bytes = Buffer.from(content);
    const commit = { 'x-repo-commit': repository.commit };
    if (bytes.length >= LFS_BYTES) {
      const location = `${addressOf(this.#cdn)}/${sha256(bytes)}/${id}/${name}?signature=1`;
      const linked = { 'x-linked-etag': `"${sha256(bytes)}"`, 'x-linked-size': String(bytes.length), etag: '"of-the-redirect"' };
      return void response.writeHead(302, { ...commit, ...linked, location }).end();
    }
    const direct = `/api/resolve-cache/models/${id}/resolve/${repository.commit}/${name}`;
    if (path !== direct) return void response.writeHead(307, { ...commit, location: direct }).end();
    await this.#send(request, response, name, bytes, { ...commit, etag: `"${gitSha1(bytes)}"` });
  }

  #fails(path: string, response: ServerResponse): boolean {
    const failure = this.failures.find((one) => path.endsWith(one.path));
    if (failure === undefined) return false;
    this.failures.splice(this.failures.indexOf(failure), 1);
    response.writeHead(failure.status, failure.headers).end();
    return true;
  }

  #opens({ gated = false }: StandInRepository, { headers }: IncomingMessage): boolean {
    return !gated || headers.authorization === `Bearer ${this.token}`;
  }

  async #onCdn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = this.#record('cdn', request);
    const [, , owner, model, ...rest] = path.split('/');
    const name = rest.join('/');
    const content = this.#repositories
      .get(`${owner}/${model}`)
      ?.find(({ files }) => files[name] !== undefined && path.startsWith(`/${sha256(Buffer.from(files[name]))}/`))?.files[name];
    if (content === undefined) return refuse(response, 404, 'NoSuchKey');
    await this.#send(request, response, name, Buffer.from(content), { etag: '"something-of-the-cdn"' });
  }

  async #send(
    request: IncomingMessage,
    response: ServerResponse,
    name: string,
    original: Buffer,
    headers: Record<string, string>,
  ): Promise<void> {
    await this.beforeFile(name);
    const content = this.replaced.get(name) ?? original;
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (start > 0 && start >= content.length) return void response.writeHead(416).end();
    const range = start === 0 ? {} : { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` };
    response.writeHead(start === 0 ? 200 : 206, { ...headers, ...range, 'content-length': content.length - start });
    const cut = this.cuts.find(({ path }) => path === name);
    if (cut === undefined) return void response.end(content.subarray(start));
    this.cuts.splice(this.cuts.indexOf(cut), 1);
    response.write(content.subarray(start, cut.after));
    await this.beforeCut(name, cut.after);
    response.destroy();
  }

  #list(response: ServerResponse, id: string, { files, card, commit, digests }: Stored): void {
    const siblings = Object.entries(files).map(([rfilename, content]) => {
      const bytes = Buffer.from(content);
      if (digests === 'in-headers') return { rfilename };
      const lfs = bytes.length >= LFS_BYTES ? { lfs: { sha256: sha256(bytes), size: bytes.length, pointerSize: 134 } } : {};
      return { rfilename, size: bytes.length, blobId: gitSha1(bytes), ...lfs };
    });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ id, modelId: id, sha: commit, gated: false, cardData: card, siblings: [...siblings, ...this.alsoListed] }),
    );
  }

  #record(server: 'hub' | 'cdn', { url = '', headers }: IncomingMessage): string {
    const path = decodeURIComponent(new URL(url, 'http://stand-in').pathname);
    this.requests.push({ server, path, authorization: headers.authorization, range: headers.range });
    return path;
  }
}

const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const refuse = (response: ServerResponse, status: number, code: string, message?: string): void => {
  response.writeHead(status, { 'x-error-code': code, ...(message === undefined ? {} : { 'x-error-message': message }) }).end();
};
