import type { StoredEvent, LogStream, TruncatedStream } from '@palimpsest/adapters-sqlite';
import type { SealedWriter } from '../sealed/sealed-writer.ts';
import type { Head, Manifest } from './manifest.ts';
import { PartTally } from './part-tally.ts';
import { encodeEvent, encodeNamed, encodeStreams, encodeTruncations, frame, type Part, type RecordKind } from './records.ts';

/** Writes the records of a backup and counts them for the manifest, which is the last record. */
export class ArchiveWriter {
  readonly #sealed: SealedWriter;
  readonly #head: Head;
  readonly #tally = new PartTally();

  private constructor(sealed: SealedWriter, head: Head) {
    this.#sealed = sealed;
    this.#head = head;
  }

  static async begin(sealed: SealedWriter, head: Head): Promise<ArchiveWriter> {
    const writer = new ArchiveWriter(sealed, head);
    await writer.#record('head', [Buffer.from(JSON.stringify(head))]);
    return writer;
  }

  async streams(page: readonly LogStream[]): Promise<void> {
    await this.#counted('streams', page.length, [encodeStreams(page)]);
  }

  async events(page: readonly StoredEvent[]): Promise<void> {
    for (const event of page) {
      const written = this.#counted('events', 1, [encodeEvent(event)]);
      if (written) await written;
    }
  }

  async truncated(page: readonly TruncatedStream[]): Promise<void> {
    await this.#counted('truncations', page.length, [encodeTruncations(page)]);
  }

  async blob(key: string, bytes: Uint8Array): Promise<void> {
    await this.#counted('blobs', 1, encodeNamed(key, bytes));
  }

  async file(name: string, bytes: Uint8Array): Promise<void> {
    await this.#counted('files', 1, encodeNamed(name, bytes));
  }

  async finish(missing: Manifest['missing']): Promise<Manifest> {
    const manifest: Manifest = { ...this.#head, parts: this.#tally.figures(), missing };
    await this.#record('manifest', [Buffer.from(JSON.stringify(manifest))]);
    await this.#sealed.finish();
    return manifest;
  }

  #counted(part: Part, items: number, content: readonly Uint8Array[]): Promise<void> | undefined {
    return this.#record(part, content, (pieces) => this.#tally.add(part, items, pieces));
  }

  #record(kind: RecordKind, content: readonly Uint8Array[], onPieces?: (pieces: readonly Uint8Array[]) => void): Promise<void> | undefined {
    const pieces = [
      frame(
        kind,
        content.reduce((sum, { length }) => sum + length, 0),
      ),
      ...content,
    ];
    onPieces?.(pieces);
    let written: Promise<void> | undefined;
    for (const piece of pieces) {
      if (written) written = written.then(() => this.#sealed.add(piece));
      else written = this.#sealed.add(piece);
    }
    return written;
  }
}
