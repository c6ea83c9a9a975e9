import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterSuite } from '../tidy-up.ts';

export type PromisedDocument = Readonly<{
  documentId: string;
  version: number;
  text: string;
  knowledgeBase?: string;
  labels?: Readonly<Record<string, string>>;
}>;

/**
 * What the platform acknowledged and must therefore never lose. Stored outside of the platform's folder, and synced before the next
 * request is sent.
 */
export class Promises {
  readonly documents = new Map<string, PromisedDocument>();
  readonly gone = new Map<string, string>();
  readonly knowledgeBases = new Map<string, Readonly<{ scope: string; archived: boolean }>>();
  readonly keys = new Map<string, Readonly<{ key: string; keyId: string; revoked: boolean }>>();
  readonly discardedLetters = new Set<string>();
  readonly #file: number;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'palimpsest-promises-'));
    this.#file = openSync(join(folder, 'journal'), 'a');
    afterSuite(async () => (closeSync(this.#file), rmSync(folder, { recursive: true, force: true })));
  }

  document(sourceId: string, document: PromisedDocument): void {
    this.#write('document', sourceId, document.documentId, document.version);
    const before = this.documents.get(sourceId);
    if (before !== undefined && before.version > document.version)
      throw new Error(`${sourceId}: version ${before.version} was acknowledged, and then version ${document.version}`);
    this.documents.set(sourceId, document);
  }

  removed(sourceId: string): void {
    this.#write('removed', sourceId);
    this.gone.set(sourceId, this.idOf(sourceId));
    this.documents.delete(sourceId);
  }

  knowledgeBase(id: string, scope: string): void {
    this.#write('knowledge base', id, scope);
    this.knowledgeBases.set(id, { scope, archived: false });
  }

  archived(id: string): void {
    this.#write('archived', id);
    this.knowledgeBases.set(id, { scope: this.knowledgeBases.get(id)?.scope ?? '', archived: true });
  }

  key(name: string, key: string, keyId: string): void {
    this.#write('key', name, keyId);
    this.keys.set(name, { key, keyId, revoked: false });
  }

  revoked(name: string): void {
    this.#write('revoked', name);
    this.keys.set(name, { key: this.keys.get(name)?.key ?? '', keyId: this.keyIdOf(name), revoked: true });
  }

  discarded(sourceId: string): void {
    this.#write('discarded', sourceId);
    this.discardedLetters.add(this.idOf(sourceId));
  }

  /** The id of an acknowledged document, even if it was removed later. */
  idOf(sourceId: string): string {
    const id = this.documents.get(sourceId)?.documentId ?? this.gone.get(sourceId);
    if (id === undefined) throw new Error(`${sourceId} was never acknowledged`);
    return id;
  }

  keyIdOf(name: string): string {
    const key = this.keys.get(name);
    if (key === undefined) throw new Error(`${name} was never acknowledged`);
    return key.keyId;
  }

  #write(...what: readonly unknown[]): void {
    writeSync(this.#file, `${JSON.stringify(what)}\n`);
    fsyncSync(this.#file);
  }
}
