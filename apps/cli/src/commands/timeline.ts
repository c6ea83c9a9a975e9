import { REQUEST_LIMITS } from '@palimpsest/client';
import type { TimelineEntry, TimelinePage } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import { anyLength } from '../options.ts';
import { cut } from '../render/highlight.ts';
import { noteMore } from '../render/more.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';

type Options = Readonly<{ kb?: string; after?: string; before?: string; limit: number }>;

export const addTimeline: AddCommand = (program, asAction) => {
  program
    .command('timeline')
    .description('List what arrived, changed and left in a scope, and which model served when, newest first.')
    .argument('[scope]', 'default: deployment')
    .option('--kb <id>', 'only this knowledge base and its documents, and the model')
    .option('--after <point>', 'only what happened after this position or time (RFC 3339)')
    .option('--before <point>', 'only what happened before this position or time (RFC 3339)')
    .option('--limit <number>', 'maximum number of entries', anyLength, 50)
    .action(asAction(timeline));
};

const timeline = async (session: Session, { kb, limit, ...span }: Options, scope = 'deployment'): Promise<number> => {
  const { output, signal } = session;
  const client = session.connect().timeline;
  const found: TimelineEntry[] = [];
  let page: TimelinePage;
  let cursor: string | undefined;
  // Requests one more than it shows, to learn whether there are more.
  do {
    const pageLimit = Math.min(limit + 1 - found.length, REQUEST_LIMITS.page.events);
    page = await client.list(scope, { ...span, knowledgeBase: kb, limit: pageLimit, cursor }, { signal });
    found.push(...page.entries);
    cursor = page.next;
  } while (cursor !== undefined && found.length <= limit);
  const entries = found.slice(0, limit);
  const more = found.length > limit;
  output.result({ entries, from: page.from, to: page.to, more }, () => {
    if (entries.length === 0) output.line('no entries');
    else
      output.table(
        ['position', 'time', 'what', 'about', 'details'],
        entries.map((entry) => rowOf(output, entry)),
      );
    noteMore(output, { shown: entries.length, more, what: 'entries' });
  });
  return EXIT.ok;
};

const rowOf = (output: Output, entry: TimelineEntry): readonly string[] => {
  const [what, about, details] = wordsOf(entry);
  const shown = entry.kind === 'failed' || entry.kind === 'unreadable' ? output.colors.red(what) : what;
  return [entry.position, entry.at, shown, cut(about, 60), cut(details, 80)];
};

const wordsOf = (entry: TimelineEntry): readonly [what: string, about: string, details: string] => {
  switch (entry.kind) {
    case 'model': {
      const serving = entry.serving ? `serving: ${entry.serving.embeddingVersion}` : 'nothing serves';
      return [`model ${entry.change}`, `${entry.generation} ${entry.embeddingVersion}`, serving];
    }
    case 'knowledge-base':
      return [entry.change, entry.knowledgeBase, entry.name ?? ''];
    case 'unreadable':
      return [entry.reason, '', ''];
    case 'failed':
      return ['failed', aboutDocument(entry), `${entry.reason}: ${entry.detail}`];
    default:
      return [entry.kind, aboutDocument(entry), chunksOf(entry.chunks)];
  }
};

const aboutDocument = ({ knowledgeBase, source, version }: Readonly<{ knowledgeBase: string; source: string; version: number }>): string =>
  `${knowledgeBase}/${source} v${version}`;

/** `+2 -1 chunks, 5 kept` */
const chunksOf = ({ added, removed, kept }: Readonly<{ added: number; removed: number; kept: number }>): string => {
  const changed = [added > 0 ? `+${added}` : '', removed > 0 ? `-${removed}` : ''].filter((part) => part !== '').join(' ');
  return [changed === '' ? 'no chunks changed' : `${changed} chunks`, ...(kept > 0 ? [`${kept} kept`] : [])].join(', ');
};
