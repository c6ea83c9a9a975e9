import { Corrupt, ServerAway, StoreRefused, Unavailable } from '@palimpsest/knowledge/errors';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import { routesOf, type DescribedOperation, type DescribedRoute, type Description } from '@palimpsest/e2e-support/described';
import { LayeredPlatform, type Seam } from './layered-platform.ts';

/** What an error of an adapter may name: a server, a stream, a tenant, a file, a setting. */
const MESSAGE =
  'EventStoreDB, appending to palimpsest/document-acme-0815: es-1.internal:2113 (10.0.0.7): blob documents/acme/0815 in /var/lib/secret';
const INTERNAL = /EventStoreDB|palimpsest\/document|acme|es-1\.internal|:2113|10\.0\.0\.7|\/var\/lib/;

/** What adapters throw, and what their clients would throw if an adapter passed it on. */
const FAULTS: Readonly<Record<string, () => Error>> = {
  'a server that is away': () => new ServerAway(MESSAGE),
  'an unavailable dependency': () => new Unavailable(MESSAGE),
  'a store that refuses': () => new StoreRefused(MESSAGE),
  damage: () => new Corrupt(MESSAGE),
  'a status of gRPC': () => Object.assign(new Error(`7 PERMISSION_DENIED: ${MESSAGE}`), { code: 7, details: MESSAGE }),
  'a status of HTTP': () => Object.assign(new Error(MESSAGE), { status: 401, $metadata: { httpStatusCode: 403 } }),
  'a broken connection': () =>
    Object.assign(new TypeError('fetch failed', { cause: new Error(MESSAGE) }), { code: 'ECONNREFUSED', address: '10.0.0.7', port: 2113 }),
};

/** Only operators may read these, and they need the whole error. */
const FOR_OPERATORS = ['GET /v1/dead-letters', 'GET /v1/admin/rebuild', 'GET /v1/admin/verify'];

/** Members that a store answers without its server. */
const LOCAL = new Set<string | symbol>(['constructor', 'close', 'version', 'versions', 'recipeOf', 'models', 'current']);

/** The stores of the platform; while `failing` names one, each of its calls fails with `fault`. */
class Stores {
  failing: string | undefined;
  fault: () => Error = () => new Error('no fault is set');
  /** Those that failed. */
  readonly failed = new Set<string>();
  readonly names = ['EventLog', 'BlobStore', 'ScopeKeys', 'MessageBus', 'Catalog', 'VectorIndex', 'LexicalIndex', 'Embedder'];

  seam: Seam = ({ journal: { log }, blobs, keys, bus, catalog, vectors, lexical, providers }) => {
    // The journal and the log cannot be replaced: others hold them.
    const watchedLog = this.#watched('EventLog', log);
    for (const method of ['append', 'readStream', 'readAll', 'follow', 'head', 'setRetention', 'truncate'] as const)
      Object.defineProperty(log, method, { value: watchedLog[method] });
    const of: EmbeddingProviders['of'] = (...given) => {
      const embedder = providers.of(...given);
      return embedder && this.#watched('Embedder', embedder);
    };
    return {
      blobs: this.#watched('BlobStore', blobs),
      keys: this.#watched('ScopeKeys', keys),
      bus: this.#watched('MessageBus', bus),
      catalog: this.#watched('Catalog', catalog),
      vectors: this.#watched('VectorIndex', vectors),
      lexical: this.#watched('LexicalIndex', lexical),
      providers: new Proxy(providers, { get: (target, name) => (name === 'of' ? of : bind(target, name)) }),
    };
  };

  #watched<T extends object>(store: string, real: T): T {
    return new Proxy(real, {
      get: (target, name) => {
        const member = bind(target, name);
        if (typeof member !== 'function' || LOCAL.has(name)) return member;
        return (...args: unknown[]): unknown => (this.failing === store ? this.#failure(store) : member(...args));
      },
    });
  }

  /** What a method returns when its store fails: a promise that rejects, or events of which the first cannot be read. */
  #failure(store: string): unknown {
    this.failed.add(store);
    const fault = this.fault();
    const promise = Promise.reject(fault);
    promise.catch(() => undefined);
    return Object.assign(promise, {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(fault), return: async () => ({ done: true }) }),
    });
  }
}

const bind = (target: object, name: string | symbol): unknown => {
  const member: unknown = Reflect.get(target, name);
  return typeof member === 'function' ? (member.bind(target) as (...args: unknown[]) => unknown) : member;
};

/** The first documented body. */
const bodyOf = (path: string, { requestBody }: DescribedOperation): Readonly<{ body?: string; type?: string }> => {
  const [type, { example } = { example: undefined }] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === 'application/json')
    return { type, body: JSON.stringify({ ...(example as object), ...(path === '/v1/documents' ? { knowledgeBase: 'stables' } : {}) }) };
  return type !== undefined && typeof example === 'string' ? { type, body: example } : {};
};

/** Requests that change the data come last. */
const order = ({ method }: DescribedRoute): number => ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].indexOf(method);

describe('any request, while a store fails,', () => {
  const stores = new Stores();
  let platform: LayeredPlatform;
  let routes: readonly DescribedRoute[];
  let key: string;
  let documentId: string;

  beforeAll(async () => {
    platform = await LayeredPlatform.start(stores.seam);
    ({ documentId } = await platform.fill());
    key = await platform.keyOf('default', { teams: ['*'], roles: ['operator', 'admin'] });
    const description = (await (await fetch(`${platform.url}/openapi.json`)).json()) as Description;
    routes = [...routesOf(description)].sort((a, b) => order(a) - order(b));
  });

  /** The documented example, about a document that exists. */
  const send = async ({ method, path, operation }: DescribedRoute): Promise<Readonly<{ status: number; text: string }>> => {
    const examples: Readonly<Record<string, string>> = {
      id: path.includes('documents') ? documentId : 'stables',
      scope: 'team:red',
      tenant: 'default',
      position: '3',
    };
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(examples[name] ?? String(operation.parameters.find((each) => each.name === name)?.example ?? 'x')),
    );
    const { body, type } = bodyOf(path, operation);
    const headers = { authorization: `Bearer ${key}`, ...(type === undefined ? {} : { 'content-type': type }) };
    // A live stream without an error does not end.
    const signal = AbortSignal.timeout(path.endsWith('/live') ? 300 : 60_000);
    const response = await fetch(`${platform.url}${url}`, { method, headers, signal, ...(body === undefined ? {} : { body }) }).catch(
      () => undefined,
    );
    let text = '';
    try {
      for await (const part of response?.body ?? []) text += Buffer.from(part as Uint8Array).toString();
    } catch {
      // The signal ended it.
    }
    return { status: response?.status ?? 0, text };
  };

  it('gets a response that names nothing internal, and is never blamed for it', async () => {
    const faults = Object.entries(FAULTS);
    for (const [shift, store] of stores.names.entries())
      for (const [at, route] of routes.entries()) {
        // Each store fails in every way, spread over the routes.
        const [name, fault] = faults[(at + shift) % faults.length] ?? ['', stores.fault];
        Object.assign(stores, { failing: store, fault });
        const { status, text } = await send(route);
        const named = FOR_OPERATORS.includes(route.route) ? undefined : INTERNAL.exec(text)?.[0];
        // What a store thinks of the platform must not look like an opinion about the caller.
        const blamed = status === 401 || status === 403;
        expect({ route: route.route, store, name, blamed, named, text: blamed || named !== undefined ? text : '' }).toEqual({
          route: route.route,
          store,
          name,
          blamed: false,
          named: undefined,
          text: '',
        });
      }
    stores.failing = undefined;
    expect([...stores.failed].sort()).toEqual([...stores.names].sort());
  }, 600_000);
});
