import type { FileHandle } from 'node:fs/promises';
import { openSealedFile, UnusableFile, type Secret } from '@palimpsest/backup';
import { linesOf } from '@palimpsest/contracts';
import type { ExportEnd, ExportHead, SealedExportHead, SealedExportLine } from '@palimpsest/client';

/** A line of an export. Only its kind is parsed here. */
export type Line = Readonly<{ text: string; kind: string }>;

/** Every line starts with `{"kind":"document",…}` or another kind. */
const kindOf = (text: string): string => /^\{"kind":"([a-z-]{1,20})"/.exec(text)?.[1] ?? '';

/**
 * Reads and counts the lines between head and end.
 * @throws UnusableFile when they are not a complete export
 */
export class ExportLines {
  readonly #lines: AsyncGenerator<string>;
  #end: ExportEnd | undefined;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#lines = linesOf(bytes);
  }

  async head(): Promise<ExportHead> {
    const first = await this.#lines.next();
    if (first.done || kindOf(first.value) !== 'export') throw new UnusableFile('the file does not start like an export');
    const head = JSON.parse(first.value) as ExportHead;
    requireFormat(head, 1);
    return head;
  }

  /** Known after all lines were read. */
  get end(): ExportEnd {
    if (!this.#end) throw new UnusableFile('the export is incomplete: its last line is missing');
    return this.#end;
  }

  async *lines(): AsyncGenerator<Line> {
    const found = { documents: 0, chunks: 0 };
    for (let next = await this.#lines.next(); !next.done; next = await this.#lines.next()) {
      const [text, kind] = [next.value, kindOf(next.value)];
      if (this.#end) throw new UnusableFile('the export continues after its end');
      if (kind === 'end') {
        this.#end = JSON.parse(text) as ExportEnd;
        continue;
      }
      if (kind === 'document-end') found.documents += 1;
      if (kind === 'chunk') found.chunks += 1;
      yield { text, kind };
    }
    if (this.end.documents !== found.documents || this.end.chunks !== found.chunks)
      throw new UnusableFile('the export does not contain as many documents as it declares');
  }
}

const requireFormat = ({ format }: Readonly<{ format: number }>, known: number): void => {
  if (format !== known) throw new UnusableFile(`the export has format ${format}, written by a newer Palimpsest; this one reads ${known}`);
};

/** A line of a document in a sealed export. Its content can be read only by the installation. */
export type SealedLine = Readonly<{ text: string; last: boolean }>;

/**
 * Reads the lines of a sealed export, and checks that all are there.
 * @throws UnusableFile when they are not a complete export
 */
export class SealedExportLines {
  readonly #lines: AsyncGenerator<string>;
  #end: ExportEnd | undefined;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#lines = linesOf(bytes);
  }

  async head(): Promise<SealedExportHead> {
    const first = await this.#lines.next();
    if (first.done || kindOf(first.value) !== 'sealed-export') throw new UnusableFile('the file does not start like an export');
    const head = JSON.parse(first.value) as SealedExportHead;
    requireFormat(head, 2);
    return head;
  }

  /** Known after all lines were read. */
  get end(): ExportEnd {
    if (!this.#end) throw new UnusableFile('the export is incomplete: its last line is missing');
    return this.#end;
  }

  async *lines(): AsyncGenerator<SealedLine> {
    let at = { document: 0, line: 0 };
    for (let next = await this.#lines.next(); !next.done; next = await this.#lines.next()) {
      const [text, kind] = [next.value, kindOf(next.value)];
      if (this.#end) throw new UnusableFile('the export continues after its end');
      if (kind === 'end') {
        this.#end = JSON.parse(text) as ExportEnd;
        continue;
      }
      const { document, line, last } = placeOf(text);
      if (document !== at.document || line !== at.line)
        throw new UnusableFile(`the export is damaged: line ${at.line} of document ${at.document} is missing`);
      at = last ? { document: document + 1, line: 0 } : { document, line: line + 1 };
      yield { text, last };
    }
    if (this.end.documents !== at.document || at.line !== 0)
      throw new UnusableFile('the export does not contain as many documents as it declares');
  }
}

/** Lines start with their place, so that only this part is parsed. */
const placeOf = (text: string): Pick<SealedExportLine, 'document' | 'line' | 'last'> => {
  const [, document, line, last] = /^\{"kind":"sealed","document":(\d{1,15}),"line":(\d{1,15}),"last":(true|false),/.exec(text) ?? [];
  if (last === undefined) throw new UnusableFile('the export is damaged: a line is not one of an export');
  return { document: Number(document), line: Number(line), last: last === 'true' };
};

const bytesOf = (file: FileHandle): AsyncIterable<Uint8Array> => file.createReadStream({ start: 0, autoClose: false });

export const openSealedExport = (file: FileHandle): SealedExportLines => new SealedExportLines(bytesOf(file));

/** Whether the file is an export that is sealed under the key of its scope, not with a passphrase or key file. */
export const isSealedByScope = async (file: FileHandle): Promise<boolean> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, 0);
  return bytesRead === 1 && buffer.toString() === '{';
};

/** Reads the whole export and checks its structure; only the installation can open it. @throws UnusableFile */
export const checkSealedExport = async (file: FileHandle): Promise<Readonly<{ head: SealedExportHead; end: ExportEnd }>> => {
  const lines = openSealedExport(file);
  const head = await lines.head();
  for await (const _ of lines.lines());
  return { head, end: lines.end };
};

export const openExport = (file: FileHandle, secret: Secret): ExportLines => new ExportLines(openSealedFile(file, 'export', secret));

/** Reads and checks the whole export. @throws UnusableFile, WrongSecret */
export const checkExport = async (file: FileHandle, secret: Secret): Promise<Readonly<{ head: ExportHead; end: ExportEnd }>> => {
  const lines = openExport(file, secret);
  const head = await lines.head();
  for await (const _ of lines.lines());
  return { head, end: lines.end };
};
