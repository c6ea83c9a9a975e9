import type { Tenant, Upload } from './uploads.ts';

/** An acknowledgement that an uploader received. The document must never be lost. */
export type Acknowledged = Readonly<{ upload: Upload; documentId: string; version: number }>;

/** The acknowledgements that the uploaders received. */
export class Journal {
  readonly #entries: Acknowledged[] = [];

  add(entry: Acknowledged): void {
    this.#entries.push(entry);
  }

  get entries(): readonly Acknowledged[] {
    return this.#entries;
  }

  of(tenant: Tenant): readonly Acknowledged[] {
    return this.#entries.filter(({ upload }) => upload.tenant === tenant);
  }

  get uploads(): readonly Upload[] {
    return [...new Set(this.#entries.map(({ upload }) => upload))];
  }
}
