import type { DocumentsDeleted, DocumentStatus } from '@palimpsest/client';
import { Option, type Command } from 'commander';
import type { AsAction } from '../action.ts';
import { EXIT } from '../failure.ts';
import { label, wholeNumber } from '../options.ts';
import { readJson } from '../read-json.ts';
import { cut } from '../render/highlight.ts';
import { noteMore } from '../render/more.ts';
import type { Session } from '../session.ts';

type Options = Readonly<{
  kb?: string;
  scope?: string;
  label?: Readonly<Record<string, string>>;
  source?: string;
  sourceId?: string;
  status?: DocumentStatus;
  filter?: string;
  expected?: number;
  yes?: true;
}>;

export const addDeleteDocuments = (documents: Command, asAction: AsAction): void => {
  documents
    .command('delete')
    .description('Delete the documents of a knowledge base or scope that satisfy all conditions. Without --yes, it only shows them.')
    .option('--kb <id>', 'only documents of this knowledge base')
    .option('--scope <scope>', 'only documents of this scope')
    .option('--label <name=value>', 'only documents with this label; may be repeated', label)
    .option('--source <text>', 'only documents whose source starts with this text')
    .option('--source-id <text>', 'only documents with exactly this source')
    .addOption(new Option('--status <status>', 'only documents with this status').choices(['pending', 'processing', 'indexed', 'failed']))
    .option('--filter <json>', 'only documents that satisfy this filter')
    .option('--expected <number>', 'delete nothing if another number of documents matches', wholeNumber(0, 1_000_000_000))
    .option('--yes', 'delete them')
    .action(asAction(remove));
};

const remove = async (session: Session, options: Options): Promise<number> => {
  const { output, signal } = session;
  const { kb, scope, label: labels, source, sourceId, status, expected } = options;
  const which = { knowledgeBase: kb, scope, labels, source, sourceId, status, ...filterOf(options) };
  const { documents } = session.connect();
  const found = await documents.removeMatching({ ...which, dryRun: true, expected }, { signal });
  const done = options.yes ? await removeAll(session, which, found) : found;
  output.result(done, () => {
    if (options.yes) return output.line(`deleted ${done.deleted} documents`);
    output.table(
      ['id', 'knowledge base', 'source', 'title'],
      found.documents.map(({ documentId, knowledgeBase, sourceId: from, title }) => [
        documentId,
        knowledgeBase,
        cut(from, 60),
        cut(title, 60),
      ]),
    );
    noteMore(output, { shown: found.documents.length, total: found.matching, what: 'documents', how: 'all of them would be deleted' });
    output.note(`${found.matching} documents match; nothing was deleted: add --yes`);
  });
  if (done.changed === 0) return EXIT.ok;
  output.note(`${done.changed} documents were changed meanwhile and are kept`);
  return EXIT.someFailed;
};

/** Request by request. Only the first one can compare the number: later ones also find what appeared meanwhile. */
const removeAll = async (session: Session, which: object, { matching }: DocumentsDeleted): Promise<DocumentsDeleted> => {
  const { signal } = session;
  const { documents } = session.connect();
  const first = await documents.removeMatching({ ...which, expected: matching }, { signal });
  let [last, deleted] = [first, first.deleted];
  while (last.remaining > 0 && last.deleted > 0) {
    last = await documents.removeMatching(which, { signal });
    deleted += last.deleted;
  }
  return { ...last, matching, deleted, documents: first.documents };
};

const filterOf = ({ filter }: Options): object => (filter === undefined ? {} : { filter: readJson(filter, '--filter') });
