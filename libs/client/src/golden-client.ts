import { path } from './transport.ts';
import type { CallOptions } from './call-options.ts';
import type { Transport } from './transport.ts';
import type { GoldenQueryLine, GoldenSetImported, GoldenSetList, GoldenSetPage, GoldenSetView } from '@palimpsest/contracts/http';
import type { GoldenQueryToImport } from './requests.ts';

/** `expectedVersion`: refused if the set has another version, 0 if it must not exist. */
type Expected = Readonly<{ expectedVersion?: number | undefined }>;
type NamedSet = Readonly<{ scope: string; set: string }>;

/** The golden queries of scopes (`client.golden`). `import` and `remove` require the role `admin`. */
export class GoldenClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list(scope: string, { signal }: CallOptions = {}): Promise<readonly GoldenSetView[]> {
    return (await this.#transport.send<GoldenSetList>({ method: 'GET', path: path`/v1/scopes/${scope}/golden-sets`, signal })).sets;
  }

  /** One page of its queries. */
  get(
    { scope, set }: NamedSet,
    { signal, ...query }: Readonly<{ limit?: number | undefined; cursor?: string | undefined }> & CallOptions = {},
  ): Promise<GoldenSetPage> {
    return this.#transport.send({ method: 'GET', path: path`/v1/scopes/${scope}/golden-sets/${set}`, query, signal });
  }

  /** All queries of the latest version, in the form of an import. */
  async *export({ scope, set }: NamedSet, { signal }: CallOptions = {}): AsyncGenerator<GoldenQueryLine> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of this.#transport.receive({
      method: 'GET',
      path: path`/v1/scopes/${scope}/golden-sets/${set}/export`,
      signal,
    })) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as GoldenQueryLine;
    }
  }

  /** Replaces all queries of the set. `knowledgeBase`: of the sources that name none; needed if the scope has several. */
  import(
    { scope, set }: NamedSet,
    queries: readonly GoldenQueryToImport[],
    { signal, knowledgeBase, expectedVersion }: Readonly<{ knowledgeBase?: string | undefined }> & Expected & CallOptions = {},
  ): Promise<GoldenSetImported> {
    return this.#transport.send({
      method: 'PUT',
      path: path`/v1/scopes/${scope}/golden-sets/${set}`,
      ndjson: new TextEncoder().encode(queries.map((query) => `${JSON.stringify(query)}\n`).join('')),
      query: { knowledgeBase },
      ifMatch: expectedVersion,
      signal,
    });
  }

  async remove({ scope, set }: NamedSet, { signal, expectedVersion }: Expected & CallOptions = {}): Promise<void> {
    await this.#transport.send({ method: 'DELETE', path: path`/v1/scopes/${scope}/golden-sets/${set}`, ifMatch: expectedVersion, signal });
  }
}
