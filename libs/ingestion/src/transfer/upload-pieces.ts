import { fromBase64, type DocumentRecord } from '@palimpsest/contracts';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { blobKey, type BlobKey } from '@palimpsest/knowledge/ports';
import type { Digest, DocumentId, TenantId } from '@palimpsest/knowledge/values';
import { plainChecksumOf } from '../identities.ts';

export const blobOf = (tenant: TenantId, id: DocumentId, checksum: Digest): BlobKey => blobKey(`documents/${tenant}/${id}/${checksum}`);

/** Assembles an upload, and checks that it is the declared one. */
export class UploadPieces {
  readonly #record: DocumentRecord;
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  /** @throws InvalidValue if it is larger than the maximum document size */
  constructor(record: DocumentRecord, maxBytes: number) {
    if (record.bytes > maxBytes)
      throw new InvalidValue('bytes', `at most ${maxBytes} bytes in "${record.sourceId}" (PALIMPSEST_MAX_DOCUMENT_MB)`, record.bytes);
    this.#record = record;
  }

  /** @throws InvalidValue */
  add(base64: string): void {
    const piece = fromBase64(base64);
    this.#length += piece.length;
    if (this.#length > this.#record.bytes) throw this.#wrong();
    this.#pieces.push(piece);
  }

  /** The whole upload; undefined if the export has none. @throws InvalidValue */
  bytes(): Uint8Array | undefined {
    if (!this.#record.upload && this.#length === 0) return undefined;
    const bytes = Buffer.concat(this.#pieces);
    if (bytes.length !== this.#record.bytes || plainChecksumOf(bytes) !== this.#record.checksum) throw this.#wrong();
    return bytes;
  }

  #wrong(): InvalidValue {
    return new InvalidValue(
      'bytes',
      `the ${this.#record.bytes} bytes of "${this.#record.sourceId}" with the checksum ${this.#record.checksum}`,
      'different bytes',
    );
  }
}
