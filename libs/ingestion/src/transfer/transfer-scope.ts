import type { ExportHead, SealedHead } from '@palimpsest/contracts';
import { beginImport, exportScope, importDocuments } from '@palimpsest/contracts/routes/transfer';
import { command, NO_ROWS, on, query, type Message, type UseCase } from '@palimpsest/knowledge/messages';
import type { VectorScope } from '@palimpsest/knowledge/values';
import type { DocumentImport, Imported, ImportOptions } from './document-import.ts';
import type { ImportBegun, ImportStart } from './import-start.ts';
import type { ExportRecord } from './portable-export.ts';
import type { Renames, SealedRecord } from './sealed-lines.ts';
import type { SealedSource, SealedTransfer } from './sealed-transfer.ts';

/** `portable`: not sealed, for another installation. */
type Export = Readonly<{ scope: VectorScope; portable: boolean }>;
type Exported = AsyncIterable<ExportRecord | SealedRecord>;
/** `head`: the first line of the export. `reembed`: submit the documents again instead of importing their vectors. */
type Begin = Readonly<{ scope: VectorScope; head: ExportHead | SealedHead; reembed: boolean; renames: Renames }>;
/** `source`: of the lines of a sealed export. */
type Import = Readonly<{ scope: VectorScope; lines: AsyncIterable<string>; source?: SealedSource; options: ImportOptions }>;

export class ExportScope extends query<Export, Exported>(exportScope, { scopes: ({ scope }) => [scope], ...NO_ROWS }) {}
export class BeginImport extends command<Begin, ImportBegun>(beginImport, {
  scopes: ({ scope, head }) => (head.kind === 'sealed-export' ? [scope, head.scope] : [scope]),
}) {}
/** One request, however many documents it imports. */
export class ImportDocuments extends command<Import, readonly Imported[]>(importDocuments, {
  scopes: ({ scope, source }) => (source === undefined ? [scope] : [scope, source.exportScope]),
}) {}

/** Moves a scope from one installation to another, or to another scope. */
export class TransferScope implements UseCase {
  readonly handlers = [
    on(ExportScope, ({ access, input: { scope, portable } }) => this.#sealed.export(access, scope, portable)),
    on(BeginImport, (message) => this.#begin(message)),
    on(ImportDocuments, (message) => this.#importDocuments(message)),
  ];
  readonly #sealed: SealedTransfer;
  readonly #start: ImportStart;
  readonly #import: DocumentImport;

  constructor(sealed: SealedTransfer, start: ImportStart, importing: DocumentImport) {
    this.#sealed = sealed;
    this.#start = start;
    this.#import = importing;
  }

  async #begin({ access, correlationId, input }: Message<Begin, ImportBegun>): Promise<ImportBegun> {
    const { scope, head, reembed, renames } = input;
    const open = head.kind === 'sealed-export' ? await this.#sealed.head(access, head, renames) : head;
    return this.#start.run(access, scope, open, reembed, correlationId);
  }

  async #importDocuments({ access, correlationId, input }: Message<Import, readonly Imported[]>): Promise<readonly Imported[]> {
    const { scope, lines, source, options } = input;
    const open = source === undefined ? lines : await this.#sealed.lines(access, lines, source);
    return this.#import.run(access, scope, open, options, correlationId);
  }
}
