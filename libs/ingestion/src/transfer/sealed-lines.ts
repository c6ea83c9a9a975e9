import { fromBase64, parseInput, toBase64, SEALED_FORMAT, sealedLine, type SealedHead, type SealedLine } from '@palimpsest/contracts';
import { Corrupt, InvalidValue } from '@palimpsest/knowledge/errors';
import type { ScopeCipher } from '@palimpsest/knowledge/ports';
import type { SubjectId } from '@palimpsest/knowledge/subjects';
import type { KnowledgeBaseId } from '@palimpsest/knowledge/values';
import type { ExportRecord } from './portable-export.ts';

export type SealedRecord = SealedHead | SealedLine | Extract<ExportRecord, { kind: 'end' }>;

/** Binds a line to its export and its place, so that lines cannot be exchanged, repeated or left out within a document. */
const contextOf = (exportId: string, document: number, line: number, last: boolean): string =>
  `export/${exportId}/${document}/${line}${last ? '/last' : ''}`;
const headContext = (exportId: string): string => `export/${exportId}/head`;

const bytesOf = (record: ExportRecord): Uint8Array => Buffer.from(JSON.stringify(record));

/** The cipher of a scope, or of a person in it. */
type CipherOf = (subject: SubjectId | undefined) => Promise<ScopeCipher>;

/** The records of an export, sealed as on the log: those of a document under the key of its data subject, if it has one. */
export async function* sealedRecords(
  records: AsyncIterable<ExportRecord>,
  cipherOf: CipherOf,
  exportId: string,
): AsyncGenerator<SealedRecord> {
  let [document, line] = [0, 0];
  let cipher = await cipherOf(undefined);
  for await (const record of records) {
    if (record.kind === 'export') {
      const { scope, embeddingVersion, exportedAt, documents } = record;
      yield {
        kind: 'sealed-export',
        format: SEALED_FORMAT,
        scope,
        exportId,
        embeddingVersion,
        exportedAt,
        documents,
        sealed: toBase64(cipher.seal(bytesOf(record), headContext(exportId))),
      };
    } else if (record.kind === 'end') yield record;
    else {
      if (record.kind === 'document') cipher = await cipherOf(record.subject);
      const last = record.kind === 'document-end';
      yield {
        kind: 'sealed',
        document,
        line,
        last,
        data: toBase64(cipher.seal(bytesOf(record), contextOf(exportId, document, line, last))),
      };
      [document, line] = last ? [document + 1, 0] : [document, line + 1];
    }
  }
}

/** @throws InvalidValue if another key, or the key of another scope, sealed it */
const opened = (cipher: ScopeCipher, sealed: Uint8Array, context: string, field: string): string => {
  try {
    return Buffer.from(cipher.open(sealed, context)).toString();
  } catch (error) {
    if (!(error instanceof Corrupt)) throw error;
    throw new InvalidValue(field, 'a line of this export, in its place, sealed under the key that the scope has here', 'another one');
  }
};

/** The head as JSON, not validated. @throws InvalidValue */
export const openHead = (cipher: ScopeCipher, { exportId, sealed }: SealedHead): unknown =>
  JSON.parse(opened(cipher, fromBase64(sealed), headContext(exportId), 'export.sealed'));

/** New ids of knowledge bases, by their ids in the export. */
export type Renames = ReadonlyMap<string, KnowledgeBaseId>;

/**
 * Opens the lines of a sealed export, for whole documents in any order. Yields lines of a portable export. `cipherOf` gives no cipher for a
 * document about a person who was erased since: it is left out. @throws InvalidValue
 */
export async function* openLines(
  lines: AsyncIterable<string>,
  cipherOf: (sealed: Uint8Array) => Promise<ScopeCipher | undefined>,
  exportId: string,
  renames: Renames,
): AsyncGenerator<string> {
  let at = { document: -1, line: 0, last: true };
  for await (const text of lines) {
    const { document, line, last, data } = parseInput(sealedLine, jsonOf(text));
    const follows = at.last ? line === 0 : document === at.document && line === at.line + 1;
    if (!follows)
      throw new InvalidValue(
        'line',
        at.last ? 'the first line of a document (0)' : `line ${at.line + 1} of document ${at.document}`,
        `line ${line} of document ${document}`,
      );
    at = { document, line, last };
    const sealed = fromBase64(data);
    const cipher = await cipherOf(sealed);
    if (cipher === undefined) continue;
    const clear = opened(cipher, sealed, contextOf(exportId, document, line, last), 'data');
    yield line === 0 ? renamed(clear, renames) : clear;
  }
  if (!at.last) throw new InvalidValue('body', 'documents with their last lines', 'an incomplete document');
}

const renamed = (text: string, renames: Renames): string => {
  if (renames.size === 0) return text;
  const record = JSON.parse(text) as { knowledgeBase?: string };
  return JSON.stringify({ ...record, knowledgeBase: renames.get(record.knowledgeBase ?? '') ?? record.knowledgeBase });
};

const jsonOf = (line: string): unknown => {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    throw new InvalidValue('body', 'a JSON document in each line', line.slice(0, 100));
  }
};
