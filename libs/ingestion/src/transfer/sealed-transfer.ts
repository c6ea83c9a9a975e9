import { cipherIfAny, parseInput, sealing, type Journal, exportHead, type ExportHead, type SealedHead } from '@palimpsest/contracts';
import { SYSTEM, type Ids } from '@palimpsest/foundation';
import { scope as scopeDecider, scopeStream } from '@palimpsest/knowledge/deciders';
import { permittedScope, type PermittedScope } from '@palimpsest/knowledge/access';
import { InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { subjectOf, type SubjectId, type SubjectKey } from '@palimpsest/knowledge/subjects';
import { knowledgeBaseId } from '@palimpsest/knowledge/values';
import type { Access } from '@palimpsest/knowledge/access';
import { ScopeKeyDestroyed, type ScopeCipher, type ScopeKeys } from '@palimpsest/knowledge/ports';
import type { VectorScope } from '@palimpsest/knowledge/values';
import type { ExportRecord, PortableExport } from './portable-export.ts';
import { openHead, openLines, sealedRecords, type Renames, type SealedRecord } from './sealed-lines.ts';

/** Where the lines of a sealed export come from. */
export type SealedSource = Readonly<{ exportScope: VectorScope; exportId: string; renames: Renames }>;

type OnExportError = (error: unknown, scope: VectorScope) => void;

/**
 * Seals exports under the key of their scope, and opens them for callers who may export that scope. Another installation, another tenant,
 * and everyone after the key was destroyed cannot read them.
 */
export class SealedTransfer {
  readonly #exporting: PortableExport;
  readonly #journal: Journal;
  readonly #keys: ScopeKeys;
  readonly #onError: OnExportError;
  readonly #ids: Ids;

  /** `onError`: receives the error of an export that ends too early. */
  constructor(exporting: PortableExport, journal: Journal, keys: ScopeKeys, onError: OnExportError, ids: Ids = SYSTEM.ids) {
    this.#ids = ids;
    this.#exporting = exporting;
    this.#journal = journal;
    this.#keys = keys;
    this.#onError = onError;
  }

  /** `portable`: not sealed, for another installation. @throws NotFound, ScopeKeyDestroyed */
  async export(access: Access, scope: VectorScope, portable: boolean): Promise<AsyncIterable<ExportRecord | SealedRecord>> {
    const records = await this.#exporting.run(access, scope);
    if (portable) return this.#reported<ExportRecord>(records, scope);
    const opened = await this.#opened(access, scope);
    const cipher = async (subject: SubjectId | undefined): Promise<ScopeCipher> =>
      this.#keys.cipher(sealing(opened, subject && (await this.#keyOf(opened, subject))));
    return this.#reported<SealedRecord>(sealedRecords(records, cipher, this.#ids.next()), scope);
  }

  async *#reported<T>(records: AsyncIterable<T>, scope: VectorScope): AsyncIterable<T> {
    try {
      yield* records;
    } catch (error) {
      this.#onError(error, scope);
      throw error;
    }
  }

  /** @throws NotFound, InvalidValue, ScopeKeyDestroyed */
  async head(access: Access, sealed: SealedHead, renames: Renames): Promise<ExportHead> {
    const head = parseInput(exportHead, openHead(await this.#keys.cipher(await this.#opened(access, sealed.scope)), sealed));
    for (const name of renames.keys())
      if (!head.knowledgeBases.some(({ id }) => id === name))
        throw new InvalidValue(
          'rename',
          `a knowledge base of the export (${head.knowledgeBases.map(({ id }) => id).join(', ') || 'it has none'})`,
          name,
        );
    return { ...head, knowledgeBases: head.knowledgeBases.map((base) => ({ ...base, id: renames.get(base.id) ?? base.id })) };
  }

  /** @throws NotFound, ScopeKeyDestroyed */
  async lines(
    access: Access,
    lines: AsyncIterable<string>,
    { exportScope, exportId, renames }: SealedSource,
  ): Promise<AsyncIterable<string>> {
    const scope = await this.#opened(access, exportScope);
    // The key of the scope must exist; that of a person may have been destroyed since.
    const ofScope = await this.#keys.cipher(scope);
    const cipherOf = async (sealed: Uint8Array): Promise<ScopeCipher | undefined> => {
      const subject = subjectOf(sealed);
      return subject === undefined ? ofScope : cipherIfAny(this.#keys, sealing(scope, subject));
    };
    return openLines(lines, cipherOf, exportId, renames);
  }

  /** @throws ScopeKeyDestroyed for a person who was erased since the document was read */
  async #keyOf({ tenant }: PermittedScope, subject: SubjectId): Promise<SubjectKey> {
    const key = await this.#keys.subjects.find(tenant, subject);
    if (key === undefined) throw new ScopeKeyDestroyed('the person whom a document is about was erased during the export');
    return key;
  }

  /** A scope that exists: asking for the cipher of another one would create a key. */
  async #opened(access: Access, name: VectorScope): Promise<PermittedScope> {
    const scope = permittedScope(access, name);
    const { state } = await this.#journal.load(scopeDecider, scopeStream(scope));
    if (!state.opened) throw new NotFound('scope', name);
    return scope;
  }
}

/** `old=new` for each renamed knowledge base. @throws InvalidValue */
export const renamesOf = (raw: readonly string[]): Renames =>
  new Map(
    raw.map((each) => {
      const [from, to, ...more] = each.split('=');
      if (from === undefined || from === '' || to === undefined || more.length > 0) throw new InvalidValue('rename', '"<old>=<new>"', each);
      return [from, knowledgeBaseId(to, 'rename')];
    }),
  );
