import type { QdrantClient, Schemas } from '@qdrant/js-client-rest';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { Connection } from '../connection/connection.ts';
import type { Layout } from '../connection/options.ts';

export type CollectionPlan = Readonly<{
  name: string;
  create: Schemas['CreateCollection'];
  indexes: Readonly<Record<string, Schemas['PayloadFieldSchema']>>;
}>;

/** Creates collections on their first write, and again if another process dropped them in the meantime. */
export class Collections {
  readonly #connection: Connection;
  readonly #layout: Layout;
  readonly #ready = new Map<string, Promise<void>>();

  constructor(connection: Connection, layout: Layout) {
    this.#connection = connection;
    this.#layout = layout;
  }

  /** Runs an update on a collection, and creates the collection if necessary. */
  async update(plan: CollectionPlan, what: string, ask: (client: QdrantClient) => Promise<Schemas['UpdateResult']>): Promise<void> {
    for (let attempt = 0; attempt < 2; attempt++) {
      await this.#ensure(plan);
      if (await this.#connection.update(what, ask)) return;
      this.#ready.delete(plan.name);
    }
    throw new Unavailable(`Qdrant: ${what}: the collection ${plan.name} is dropped as soon as it is created`);
  }

  /** Names that begin with `prefix`. */
  async names(prefix: string): Promise<readonly string[]> {
    const listed = await this.#connection.read('listing collections', (client) => client.getCollections());
    return (listed?.collections ?? []).map(({ name }) => name).filter((name) => name.startsWith(prefix));
  }

  async drop(name: string): Promise<void> {
    this.#ready.delete(name);
    await this.#connection.write(`dropping ${name}`, (client) => client.deleteCollection(name));
  }

  #ensure(plan: CollectionPlan): Promise<void> {
    const known = this.#ready.get(plan.name);
    if (known !== undefined) return known;
    const made = this.#make(plan);
    this.#ready.set(plan.name, made);
    made.catch(() => this.#ready.delete(plan.name));
    return made;
  }

  /** Also runs if the collection exists: the process that created it may have died before it created the indexes. */
  async #make({ name, create, indexes }: CollectionPlan): Promise<void> {
    await this.#connection.requireVersion();
    await this.#connection.write(`creating ${name}`, (client) => client.createCollection(name, { ...create, ...this.#layout.sharding }));
    for (const [field_name, field_schema] of Object.entries(indexes))
      await this.#connection.update(`indexing ${field_name} of ${name}`, (client) =>
        client.createPayloadIndex(name, { field_name, field_schema, wait: true }),
      );
  }
}
