import type { FileHandle } from 'node:fs/promises';
import { openSealedFile, UnusableFile, type Secret } from '@palimpsest/backup';
import { linesOf } from '@palimpsest/contracts';
import type { ExportEnd, ExportHead } from '@palimpsest/client';

/** A line of an export, as far as its kind is looked at here. */
export type Line = Readonly<{ text: string; kind: string }>;

/** `{"kind":"document",…}` is how every line begins. */
const kindOf = (text: string): string => /^\{"kind":"([a-z-]{1,20})"/.exec(text)?.[1] ?? '';

/**
 * The lines between head and end, while they are counted.
 * @throws UnusableFile when they are not those of a whole export
 */
export class ExportLines {
  readonly #lines: AsyncGenerator<string>;
  #end: ExportEnd | undefined;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#lines = linesOf(bytes);
  }

  async head(): Promise<ExportHead> {
    const first = await this.#lines.next();
    if (first.done || kindOf(first.value) !== 'export') throw new UnusableFile('it does not begin like an export');
    const head = JSON.parse(first.value) as ExportHead;
    if (head.format !== 1) throw new UnusableFile(`the export has format ${head.format}, written by a newer Palimpsest; this one reads 1`);
    return head;
  }

  /** Known when all lines were read. */
  get end(): ExportEnd {
    if (!this.#end) throw new UnusableFile('the export broke off: its last line is missing');
    return this.#end;
  }

  async *lines(): AsyncGenerator<Line> {
    const found = { documents: 0, chunks: 0 };
    for (let next = await this.#lines.next(); !next.done; next = await this.#lines.next()) {
      const [text, kind] = [next.value, kindOf(next.value)];
      if (this.#end) throw new UnusableFile('the export goes on behind its end');
      if (kind === 'end') {
        this.#end = JSON.parse(text) as ExportEnd;
        continue;
      }
      if (kind === 'document-end') found.documents += 1;
      if (kind === 'chunk') found.chunks += 1;
      yield { text, kind };
    }
    if (this.end.documents !== found.documents || this.end.chunks !== found.chunks) throw new UnusableFile('the export does not hold as many documents as it says');
  }
}

export const openExport = (file: FileHandle, secret: Secret): ExportLines => new ExportLines(openSealedFile(file, 'export', secret));

/** Reads all of it. @throws UnusableFile, WrongSecret */
export const checkExport = async (file: FileHandle, secret: Secret): Promise<Readonly<{ head: ExportHead; end: ExportEnd }>> => {
  const lines = openExport(file, secret);
  const head = await lines.head();
  for await (const _ of lines.lines());
  return { head, end: lines.end };
};
