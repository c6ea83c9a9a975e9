import type { DocumentDetails, DocumentFilter, DocumentStatus, DocumentView } from '@palimpsest/client';
import { Option } from 'commander';
import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import { anyLength } from '../options.ts';
import { readJson } from '../read-json.ts';
import { cut } from '../render/highlight.ts';
import { noteMore } from '../render/more.ts';
import type { Output } from '../render/output.ts';
import { refusedChunks } from '../render/refused-chunks.ts';
import type { Session } from '../session.ts';
import { asOfOption, noteMoment, type AsOfOption } from './as-of.ts';
import { addDeleteDocuments } from './delete-documents.ts';
import { addDocumentVersions } from './document-versions.ts';
import { watchDocuments } from './watch-documents.ts';

type CountOptions = AsOfOption & Readonly<{ kb?: string; status?: DocumentStatus; source?: string; filter?: string }>;
type ListOptions = CountOptions & Readonly<{ limit: number }>;

/** Documents of one request. */
const PAGE = 200;

export const addDocuments: AddCommand = (program, asAction) => {
  const documents = program.command('documents').description('List, count, inspect, delete and retry documents.');
  documents
    .command('list', { isDefault: true })
    .description('List documents.')
    .option('--kb <id>', 'only documents of this knowledge base')
    .addOption(new Option('--status <status>', 'only documents with this status').choices(['pending', 'processing', 'indexed', 'failed']))
    .option('--source <text>', 'only documents whose source starts with this text')
    .option('--filter <json>', 'only documents that satisfy this filter')
    .option('--limit <number>', 'maximum number of documents', anyLength, 50)
    .addOption(asOfOption())
    .action(asAction(list));
  documents
    .command('count')
    .description('Print how many documents there are.')
    .option('--kb <id>', 'only documents of this knowledge base')
    .addOption(new Option('--status <status>', 'only documents with this status').choices(['pending', 'processing', 'indexed', 'failed']))
    .option('--source <text>', 'only documents whose source starts with this text')
    .option('--filter <json>', 'only documents that satisfy this filter')
    .addOption(asOfOption())
    .action(asAction(count));
  documents
    .command('watch')
    .description('Print documents as their status changes, until interrupted.')
    .option('--kb <id>', 'only documents of this knowledge base')
    .option('--document <id>', 'only this document')
    .option('--after <position>', 'start after this position instead of now')
    .action(asAction(watchDocuments));
  documents
    .command('show')
    .description('Show all details of one document.')
    .argument('<id>')
    .addOption(asOfOption())
    .action(asAction(show));
  addDocumentVersions(documents, asAction);
  documents
    .command('rm')
    .description('Delete documents. They are removed from all searches immediately.')
    .argument('<ids...>')
    .action(asAction(remove));
  addDeleteDocuments(documents, asAction);
  documents.command('retry').description('Process failed documents again.').argument('<ids...>').action(asAction(retry));
};

const which = ({ kb, status, source, filter, asOf }: CountOptions): DocumentFilter => ({
  knowledgeBase: kb,
  status,
  source,
  asOf,
  ...(filter === undefined ? {} : { filter: readJson(filter, '--filter') as NonNullable<DocumentFilter['filter']> }),
});

const count = async (session: Session, options: CountOptions): Promise<number> => {
  const { output, signal } = session;
  const { total = 0, asOf } = await session.connect().documents.list({ ...which(options), limit: 1, total: true }, { signal });
  output.result({ total, ...(asOf ? { asOf } : {}) }, () => {
    noteMoment(output, asOf);
    output.line(String(total));
  });
  return EXIT.ok;
};

const list = async (session: Session, { limit, ...options }: ListOptions): Promise<number> => {
  const { output, signal } = session;
  const { documents } = session.connect();
  const filter = { ...which(options), limit: Math.min(limit, PAGE) };
  const first = await documents.list({ ...filter, total: true }, { signal });
  const found: DocumentView[] = [...first.documents];
  for (let cursor = first.next; cursor !== undefined && found.length < limit;) {
    const page = await documents.list({ ...filter, limit: Math.min(PAGE, limit - found.length), cursor }, { signal });
    found.push(...page.documents);
    cursor = page.next;
  }
  found.splice(limit);
  const { total = found.length } = first;
  output.result({ documents: found, total, ...(first.asOf ? { asOf: first.asOf } : {}) }, () => {
    noteMoment(output, first.asOf);
    printList(output, found);
    noteMore(output, { shown: found.length, total, what: 'documents' });
  });
  return EXIT.ok;
};

const printList = (output: Output, documents: readonly DocumentView[]): void => {
  if (documents.length === 0) return output.line('no documents');
  return output.table(
    ['id', 'status', 'version', 'chunks', 'knowledge base', 'source'],
    documents.map(({ documentId, status, version, chunks, failedChunks, withoutVector, knowledgeBase, sourceId, reason }) => [
      ...[
        documentId,
        status === 'failed' ? output.colors.red(`failed ${reason ?? ''}`.trim()) : `${status} ${reason ?? ''}`.trim(),
        version,
        `${chunks}${refusedChunks({ failedChunks, withoutVector })}`,
        knowledgeBase,
      ],
      cut(sourceId, 80),
    ]),
  );
};

const show = async (session: Session, { asOf }: AsOfOption, id: string): Promise<number> => {
  const { output, signal } = session;
  const document = await session.connect().documents.get(id, { asOf, signal });
  output.result(document, () => printDocument(output, document));
  return EXIT.ok;
};

const printDocument = (output: Output, { versions, labels, warnings, asOf, ...facts }: DocumentDetails): void => {
  const { dim } = output.colors;
  noteMoment(output, asOf);
  for (const [name, value] of Object.entries(facts)) output.line(`${dim(name.padEnd(15))} ${String(value)}`);
  for (const [name, value] of Object.entries(labels)) output.line(`${dim('label'.padEnd(15))} ${name}=${value}`);
  for (const warning of warnings) output.line(`${dim('warning'.padEnd(15))} ${warning}`);
  output.line();
  output.table(
    ['version', 'status', 'submitted', 'bytes', 'chunks', 'checksum'],
    versions.map(({ version, status, submittedAt, bytes, chunks, checksum, reason }) => [
      ...[version, reason === undefined ? status : `${status} ${reason}`, submittedAt, bytes, chunks ?? '', checksum.slice(0, 12)],
    ]),
  );
};

const remove = async (session: Session, _options: unknown, ids: readonly string[]): Promise<number> => {
  const { output, signal } = session;
  const client = session.connect();
  const deleted = [];
  for (const id of ids) deleted.push(await client.documents.remove(id, { signal }));
  output.result({ deleted }, () => output.line(`deleted ${ids.join(', ')}`));
  return EXIT.ok;
};

const retry = async (session: Session, _options: unknown, ids: readonly string[]): Promise<number> => {
  const { output, signal } = session;
  const client = session.connect();
  const retried = [];
  for (const id of ids) retried.push(await client.documents.retry(id, { signal }));
  output.result({ retried }, () => output.line(`processing again: ${ids.join(', ')}`));
  return EXIT.ok;
};
