import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Corrupt, InvalidValue, KnowledgeError, Unavailable } from '@palimpsest/knowledge/errors';
import type { BlobKey, BlobStore } from '@palimpsest/knowledge/ports';
import { sha256Of } from './digest.ts';
import { keyOf, listingOf, objectName } from './object-names.ts';
import { withRetries, type Retrying } from './retries.ts';
import { failureOf, type S3Failure } from './s3-failure.ts';
import type { FoundObject, S3Objects } from './s3-objects.ts';
import type { S3Settings } from './s3-options.ts';

/** How often bytes with a wrong digest are read before they count as damaged: the network may flip a bit, too. */
const READINGS = 5;
const READ_AGAIN_MS = 20;

/** A `BlobStore` over single S3 requests. `close` ends calls that wait for a retry. */
export class S3BlobStore implements BlobStore {
  readonly #objects: S3Objects;
  readonly #settings: S3Settings;
  readonly #closing: AbortController;

  constructor(objects: S3Objects, settings: S3Settings, closing: AbortController) {
    this.#objects = objects;
    this.#settings = settings;
    this.#closing = closing;
  }

  async put(key: BlobKey, bytes: Uint8Array): Promise<void> {
    this.#refuseTooLarge(bytes);
    const object = { name: this.#name(key), bytes, sha256: await sha256Of(bytes), writer: randomUUID(), ifAbsent: false };
    await withRetries(() => this.#objects.put(object), this.#retrying(`write blob "${key}"`));
  }

  /**
   * A request whose answer was lost may have been applied. Then the next attempt finds its own blob, and the writer's
   * token identifies it.
   */
  async putIfAbsent(key: BlobKey, bytes: Uint8Array): Promise<boolean> {
    this.#refuseTooLarge(bytes);
    const object = { name: this.#name(key), bytes, sha256: await sha256Of(bytes), writer: randomUUID(), ifAbsent: true };
    let perhapsDone = false;
    const failed = (failure: S3Failure): void => void (perhapsDone ||= failure.perhapsDone);
    return withRetries(
      async () => {
        const wrote = await this.#objects.put(object).then(() => true, ifRefused(412, false));
        return wrote || (perhapsDone && (await this.#isWriter(key, object.writer)));
      },
      { ...this.#retrying(`write blob "${key}"`), failed },
    );
  }

  async get(key: BlobKey): Promise<Uint8Array | undefined> {
    for (let reading = 1; ; reading++) {
      const found = await this.#read(key);
      if (found === undefined) return undefined;
      if ((await sha256Of(found.bytes)).toString('hex') === found.sha256) return found.bytes;
      if (reading === READINGS || found.sha256 === undefined)
        throw new Corrupt(`blob "${key}": the bytes in the bucket differ from those that were written`);
      await sleep(READ_AGAIN_MS);
    }
  }

  async exists(key: BlobKey): Promise<boolean> {
    const retrying = this.#retrying(`read blob "${key}"`);
    return withRetries(() => this.#objects.writerOf(this.#name(key)).then(() => true, ifRefused(404, false)), retrying);
  }

  async delete(key: BlobKey): Promise<void> {
    const retrying = this.#retrying(`delete blob "${key}"`);
    await withRetries(() => this.#objects.delete(this.#name(key)).catch(ifRefused(404, undefined)), retrying);
  }

  async *list(prefix: string): AsyncIterable<BlobKey> {
    const { self, below } = listingOf(prefix);
    if (self !== undefined && (await this.exists(self))) yield self;
    let from: string | undefined;
    do {
      const position = from;
      const beginning = `${this.#settings.prefix}${below}`;
      const page = await withRetries(() => this.#objects.list(beginning, position), this.#retrying(`list blobs below "${prefix}"`));
      for (const name of page.names) {
        const key = keyOf(this.#settings.prefix, name);
        if (key !== undefined) yield key;
      }
      from = page.next;
    } while (from !== undefined);
  }

  #read(key: BlobKey): Promise<FoundObject | undefined> {
    return withRetries(() => this.#objects.get(this.#name(key)).catch(ifRefused(404, undefined)), this.#retrying(`read blob "${key}"`));
  }

  async #isWriter(key: BlobKey, writer: string): Promise<boolean> {
    const there = await this.#objects.writerOf(this.#name(key)).catch(ifRefused(404, undefined));
    if (there !== undefined) return there === writer;
    // It was deleted in the meantime: whether it was ours is unknown, and writing it again would undo the deletion.
    throw new Unavailable(`cannot find out who wrote blob "${key}": the answer was lost, and the blob has been deleted since`);
  }

  #name(key: BlobKey): string {
    return objectName(this.#settings.prefix, key);
  }

  #retrying(what: string): Retrying {
    return { what, forMs: this.#settings.retryForMs, ended: this.#closing.signal };
  }

  #refuseTooLarge(bytes: Uint8Array): void {
    const { maxBlobBytes } = this.#settings;
    if (bytes.length > maxBlobBytes) throw new InvalidValue('blob', `at most ${maxBlobBytes} bytes`, bytes.length);
  }
}

/** For `catch`: returns `value` if the store refused with this status, otherwise rethrows. A missing bucket is a fault. */
const ifRefused =
  <Value>(status: number, value: Value) =>
  (error: unknown): Value => {
    if (isRefusal(error, status)) return value;
    throw error;
  };

const isRefusal = (error: unknown, status: number): boolean => {
  if (error instanceof KnowledgeError) return false;
  const failure = failureOf(error);
  return failure.status === status && failure.code !== 'NoSuchBucket';
};
