import { setImmediate as turn } from 'node:timers/promises';
import { Collection } from './collection.mjs';
import { checkName, collectionConfig, payloadSchema } from './collection-config.mjs';
import { noCollection, Refusal, wrongInput } from './refusal.mjs';
import { Storage } from './storage.mjs';

/** Like the real server, applies an update in pieces of this size, and runs searches between them. */
const PIECE = 32;

/** Collections and aliases; every change is on disk before it is visible. */
export class Engine {
  #storage;
  #collections = new Map();
  #aliases = new Map();
  #updates = Promise.resolve();

  constructor(folder) {
    this.#storage = new Storage(folder);
    for (const { name, config, points } of this.#storage.collections()) {
      const collection = new Collection(name, config);
      for (const { id, ...point } of points) collection.set(id, point);
      this.#collections.set(name, collection);
    }
    for (const { alias, collection } of this.#storage.aliases()) this.#aliases.set(alias, collection);
  }

  names() {
    return [...this.#collections.keys()];
  }

  aliases() {
    return [...this.#aliases];
  }

  /** By name or alias. */
  find(name) {
    return this.#collections.get(this.#aliases.get(name) ?? name);
  }

  collection(name) {
    const found = this.find(name);
    if (found === undefined) throw noCollection(name);
    return found;
  }

  create(name, body) {
    checkName(name);
    const config = collectionConfig(body);
    if (this.find(name) !== undefined) throw new Refusal(409, `Wrong input: Collection \`${name}\` already exists!`);
    this.#storage.saveCollection(name, config);
    this.#collections.set(name, new Collection(name, config));
  }

  drop(name) {
    const found = this.#collections.get(name);
    if (found === undefined) return false;
    this.#storage.dropCollection(name);
    this.#collections.delete(name);
    for (const [alias, of] of this.#aliases) if (of === name) this.#aliases.delete(alias);
    return true;
  }

  changeAliases(actions) {
    const next = new Map(this.#aliases);
    for (const { create_alias: create, delete_alias: remove, rename_alias: rename } of actions) {
      if (create !== undefined) {
        if (!this.#collections.has(create.collection_name)) throw noCollection(create.collection_name);
        if (this.#collections.has(create.alias_name)) throw wrongInput(`Alias ${create.alias_name} is the name of a collection`);
        next.set(create.alias_name, create.collection_name);
      } else if (remove !== undefined) {
        next.delete(remove.alias_name);
      } else {
        if (!next.has(rename.old_alias_name)) throw new Refusal(404, `Not found: Alias ${rename.old_alias_name} does not exists!`);
        next.set(rename.new_alias_name, next.get(rename.old_alias_name));
        next.delete(rename.old_alias_name);
      }
    }
    this.#storage.saveAliases(next);
    this.#aliases = next;
  }

  index(name, key, schema) {
    const collection = this.collection(name);
    collection.index(key, payloadSchema(schema));
    this.#storage.saveCollection(collection.name, collection.config);
  }

  unindex(name, key) {
    const collection = this.collection(name);
    collection.unindex(key);
    this.#storage.saveCollection(collection.name, collection.config);
  }

  /**
   * Updates are sequential. `decide` sees the state after the previous ones.
   * @param {(collection: Collection) => { id: unknown, point?: { payload: object, vectors: object } }[]} decide
   */
  update(name, decide) {
    const done = this.#updates.then(async () => {
      const collection = this.collection(name);
      const changes = decide(collection);
      this.#storage.savePoints(collection.name, changes);
      for (const [i, { id, point }] of changes.entries()) {
        if (i % PIECE === PIECE - 1) await turn();
        if (point === undefined) collection.delete(id);
        else collection.set(id, point);
      }
    });
    this.#updates = done.catch(() => undefined);
    return done;
  }

  close() {
    this.#storage.close();
  }
}
