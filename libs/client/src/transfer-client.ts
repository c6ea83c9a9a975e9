import { path } from './transport.ts';
import type { CallOptions } from './call-options.ts';
import type { Transport } from './transport.ts';
import type { ExportHead, ImportBegun, ImportOptions, ImportResult } from './views/transfer.ts';

/** A scope out of one installation and into another (`client.transfer`). */
export class TransferClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lines of JSON, as bytes in pieces of any size. It is whole when its last line is `end`. */
  exportScope(scope: string, { signal }: CallOptions = {}): AsyncGenerator<Uint8Array> {
    return this.#transport.receive({ method: 'GET', path: path`/v1/exports/${scope}`, signal });
  }

  /** Looks whether the export fits, before anything is written; then makes the scope and its knowledge bases. */
  begin(scope: string, head: ExportHead, options: Readonly<{ reembed?: boolean | undefined }> & CallOptions = {}): Promise<ImportBegun> {
    const { signal, reembed = false } = options;
    return this.#transport.send({ method: 'POST', path: path`/v1/imports/${scope}`, json: { export: head, reembed }, signal });
  }

  /** Whole documents, as lines of an export. May be sent again: what is there is left alone. */
  importDocuments(scope: string, lines: Uint8Array<ArrayBuffer>, options: ImportOptions & CallOptions = {}): Promise<ImportResult> {
    const { signal, embeddingVersion, reembed, overwrite } = options;
    const query = { embeddingVersion, ...(reembed ? { reembed: 'true' } : {}), ...(overwrite ? { overwrite: 'true' } : {}) };
    return this.#transport.send({ method: 'POST', path: path`/v1/imports/${scope}/documents`, ndjson: lines, query, signal });
  }
}
