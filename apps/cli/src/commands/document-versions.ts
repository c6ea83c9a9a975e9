import type { DocumentDiff, DocumentVersionDetails } from '@palimpsest/client';
import type { Command } from 'commander';
import type { AsAction } from '../action.ts';
import { EXIT } from '../failure.ts';
import { wholeNumber } from '../options.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';

type DiffOptions = Readonly<{ from?: number; to?: number }>;

const MAX_VERSION = 999_999_999;
/** Chunks of one request. */
const PAGE = 500;

const version = wholeNumber(1, MAX_VERSION);

/** The commands about versions, below `documents`. */
export const addDocumentVersions = (documents: Command, asAction: AsAction): void => {
  documents
    .command('version')
    .description('Print the texts of one version of a document, also of one that was replaced or deleted.')
    .argument('<id>')
    .argument('<version>', 'its number', version)
    .action(asAction(showVersion));
  documents
    .command('diff')
    .description('Compare two versions of a document, by default the last two that were indexed.')
    .argument('<id>')
    .option('--from <version>', 'the earlier version', version)
    .option('--to <version>', 'the later version', version)
    .action(asAction(showDiff));
};

const showVersion = async (session: Session, _options: unknown, id: string, number: number): Promise<number> => {
  const { output, signal } = session;
  const { documents } = session.connect();
  const { next: first, ...found } = await documents.version(id, number, { limit: PAGE }, { signal });
  const chunks = [...found.chunks];
  for (let cursor = first; cursor !== undefined;) {
    const page = await documents.version(id, number, { limit: PAGE, cursor }, { signal });
    chunks.push(...page.chunks);
    cursor = page.next;
  }
  const whole: DocumentVersionDetails = { ...found, chunks };
  output.result(whole, () => printVersion(output, whole));
  return EXIT.ok;
};

const printVersion = (output: Output, { chunks, status, reason, detail, ...facts }: DocumentVersionDetails): void => {
  const { dim, red } = output.colors;
  output.line(`${facts.title}  ${dim(`${facts.knowledgeBase}/${facts.source} version ${facts.version}, submitted ${facts.submitted.at}`)}`);
  if (facts.deletion) output.line(dim(`deleted ${facts.deletion.at}, position ${facts.deletion.position}`));
  if (reason !== undefined) output.line(red(`failed ${reason}: ${detail ?? ''}`));
  else if (status !== 'indexed') output.line(status);
  for (const { index, of, headings, fromLine, toLine, text } of chunks) {
    output.line();
    output.line(dim(`chunk ${index + 1} of ${of}, ${placeOf(headings, fromLine, toLine)}`));
    output.line(text);
  }
};

const showDiff = async (session: Session, options: DiffOptions, id: string): Promise<number> => {
  const { output, signal } = session;
  const diff = await session.connect().documents.diff(id, options, { signal });
  output.result(diff, () => printDiff(output, diff));
  return EXIT.ok;
};

const WHY_NO_LINES = {
  'too-large': 'the texts are too large to compare their lines',
  'too-different': 'too many lines differ to list them',
} as const;

const SIGNS = { kept: ' ', added: '+', removed: '-' } as const;

const printDiff = (
  output: Output,
  { source, from, to, counts, chunks, unified, unifiedMissing, truncated, deletion }: DocumentDiff,
): void => {
  const { dim } = output.colors;
  const { added, removed, kept } = counts;
  output.line(`${source}  ${dim(`version ${from.version} (${from.indexed.at}) → ${to.version} (${to.indexed.at})`)}`);
  if (deletion) output.line(dim(`deleted ${deletion.at}, position ${deletion.position}`));
  output.line(`chunks: ${added} added, ${removed} removed, ${kept} kept`);
  for (const { change, headings, from: before, to: after } of chunks) {
    const place = after ?? before;
    if (change !== 'kept' && place) output.line(colored(output, `${SIGNS[change]} ${placeOf(headings, place.fromLine, place.toLine)}`));
  }
  if (unified) {
    output.line();
    for (const line of unified.trimEnd().split('\n')) output.line(colored(output, line));
  } else if (unified === '') output.line('the texts are the same');
  if (unifiedMissing) output.note(WHY_NO_LINES[unifiedMissing]);
  if (truncated) output.note('the comparison is longer than what is shown');
};

/** As Git colors a diff. */
const colored = ({ colors: { bold, cyan, green, red } }: Output, line: string): string => {
  if (/^(---|\+\+\+) /.test(line)) return bold(line);
  if (line.startsWith('@@')) return cyan(line);
  if (line.startsWith('+')) return green(line);
  return line.startsWith('-') ? red(line) : line;
};

const placeOf = (headings: readonly string[], fromLine: number, toLine: number): string => {
  const lines = fromLine === toLine ? `line ${fromLine}` : `lines ${fromLine}-${toLine}`;
  return headings.length === 0 ? lines : `${headings.join(' › ')}, ${lines}`;
};
