import { path } from './transport.ts';
import type { CallOptions } from './call-options.ts';
import type { Transport } from './transport.ts';
import type { ExportHead, ImportBegun, ImportResult, SealedExportHead } from '@palimpsest/contracts/http';
import type { ImportOptions } from './requests.ts';

/** Exports a scope, and imports it into the same or, if portable, another installation (`client.transfer`). */
export class TransferClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lines of JSON, as bytes in pieces of any size. The export is complete if its last line is `end`. It is sealed under the key of the
   * scope: only the same installation can import it, and no one once the scope was erased. `portable`: not sealed, for another
   * installation.
   */
  exportScope(
    scope: string,
    { signal, portable = false }: Readonly<{ portable?: boolean }> & CallOptions = {},
  ): AsyncGenerator<Uint8Array> {
    return this.#transport.receive({
      method: 'GET',
      path: path`/v1/exports/${scope}`,
      query: portable ? { portable: 'true' } : {},
      signal,
    });
  }

  /** Checks that the export can be imported before anything is written, then creates the scope and its knowledge bases. */
  begin(
    scope: string,
    head: ExportHead | SealedExportHead,
    options: Readonly<{ reembed?: boolean | undefined; rename?: readonly string[] }> & CallOptions = {},
  ): Promise<ImportBegun> {
    const { signal, reembed = false, rename = [] } = options;
    return this.#transport.send({
      method: 'POST',
      path: path`/v1/imports/${scope}`,
      json: { export: head, reembed, ...(rename.length === 0 ? {} : { rename }) },
      signal,
    });
  }

  /** Imports complete documents, as lines of an export. It is safe to send them again: existing documents are not changed. */
  importDocuments(scope: string, lines: Uint8Array<ArrayBuffer>, options: ImportOptions & CallOptions = {}): Promise<ImportResult> {
    const { signal, embeddingVersion, reembed, overwrite, exportId, exportScope, rename } = options;
    const query = {
      embeddingVersion,
      exportId,
      exportScope,
      rename,
      ...(reembed ? { reembed: 'true' } : {}),
      ...(overwrite ? { overwrite: 'true' } : {}),
    };
    return this.#transport.send({ method: 'POST', path: path`/v1/imports/${scope}/documents`, ndjson: lines, query, signal });
  }
}
