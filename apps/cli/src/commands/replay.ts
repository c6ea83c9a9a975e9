import { REQUEST_LIMITS } from '@palimpsest/client';
import type { ReplayCause, ReplayChange, ReplayHit, ReplayRequest, ReplayResult, Strategy } from '@palimpsest/client';
import { InvalidArgumentError, Option } from 'commander';
import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import { numberWithin, wholeNumber } from '../options.ts';
import { readJson } from '../read-json.ts';
import { cut } from '../render/highlight.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';
import { asOfOption, type AsOfOption } from './as-of.ts';
import { replayLast, type LastOptions } from './replay-last.ts';
import { STRATEGIES } from './search-options.ts';

type Against = NonNullable<ReplayRequest['against']>;
type Fusion = NonNullable<Against['fusion']>;
type Filter = NonNullable<Against['filter']>;
type ReplayOptions = AsOfOption &
  LastOptions &
  Readonly<{
    query?: string;
    terms?: string;
    compare?: boolean;
    strategy?: Strategy;
    fusion?: Fusion;
    top?: number;
    minScore?: number;
    minRelevance?: number;
    filter?: Filter;
    generation?: string;
  }>;

export const addReplay: AddCommand = (program, asAction) => {
  program
    .command('replay')
    .description('Run a past search again as it was, and explain what would be different today.')
    .argument('[trace-id]', 'the traceId of the response, which is also on the event KnowledgeRetrieved; without it, the last searches')
    .option('--last <number>', 'without a trace id: how many searches', wholeNumber(1, 10_000), 20)
    .option('--after <moment>', 'without a trace id: only searches after a position or time')
    .option('--before <moment>', 'without a trace id: only searches before a position or time')
    .option('--kb <id>', 'without a trace id: only searches that included this knowledge base')
    .option('--query <text>', 'the text of the query, if the tenant does not record queries')
    .option('--terms <json>', 'the terms of the search, as in its request, if the tenant does not record queries')
    .option('--compare', 'compare it with the same search now; the options below imply it')
    .addOption(asOfOption())
    .addOption(new Option('--strategy <name>', 'compare with another retrieval strategy').choices(STRATEGIES))
    .addOption(new Option('--fusion <name>', 'compare with another fusion of words and vectors').choices(FUSIONS))
    .option('--top <number>', 'compare with another number of results', wholeNumber(1, REQUEST_LIMITS.topK.max))
    .option('--min-score <number>', 'compare with another minimum score', numberWithin(-1, 1))
    .option('--min-relevance <number>', 'compare with another minimum relevance', numberWithin(0, 1))
    .option('--filter <json>', 'compare with another filter, as in a search request', json)
    .option('--generation <id>', 'compare with another generation of --scope: another model or another chunking')
    .option('--scope <scope>', 'the scope of --generation (default: deployment); without a trace id: only searches that included it')
    .action(asAction(replay));
};

/** Exits with 1 if the replay is not identical. */
const replay = async (session: Session, options: ReplayOptions, traceId?: string): Promise<number> => {
  if (traceId === undefined) return replayLast(session, options, againstOf(options) ?? {});
  const { output, signal } = session;
  const { query } = options;
  const terms = options.terms === undefined ? undefined : (readJson(options.terms, '--terms') as ReplayRequest['terms']);
  const against = againstOf(options);
  const result = await session.connect().retrievals.replay(traceId, { query, terms, ...(against ? { against } : {}) }, { signal });
  output.result(result, () => printReplay(output, result));
  return result.identical ? EXIT.ok : EXIT.someFailed;
};

const againstOf = ({
  compare,
  asOf,
  strategy,
  fusion,
  top,
  minScore,
  minRelevance,
  filter,
  generation,
  scope = 'deployment',
}: ReplayOptions) => {
  const changed = { asOf, strategy, fusion, topK: top, minScore, minRelevance, filter };
  if (compare !== true && generation === undefined && Object.values(changed).every((option) => option === undefined)) return undefined;
  return { ...changed, ...(generation === undefined ? {} : { generations: { [scope]: generation } }) };
};

const FUSIONS = ['zscore', 'rrf', 'weighted', 'simple'] as const satisfies readonly Fusion[];

const json = (raw: string): Filter => {
  try {
    return JSON.parse(raw) as Filter;
  } catch {
    throw new InvalidArgumentError('Must be JSON, for example {"eq":{"field":"label.team","value":"red"}}.');
  }
};

const printReplay = (
  output: Output,
  { retrievedAt, position, identical, sameHits, differences, hits, recorded, against }: ReplayResult,
): void => {
  const { bold, dim, green, red, yellow } = output.colors;
  output.line(`${bold(`search of ${retrievedAt}`)}  ${dim(`position ${position}`)}`);
  output.line(
    identical
      ? green('identical: the same results with the same scores')
      : sameHits
        ? yellow('the same results in the same order; scores differ')
        : red(`not identical: ${recorded.length} results on the record, ${hits.length} in the replay`),
  );
  for (const { detail, events } of differences) output.line(`  ${detail}${eventsText(events)}`);
  output.line();
  for (const hit of hits) output.line(lineOf(hit, dim));
  if (against === undefined) return;
  output.line();
  output.line(`${bold('compared with')} ${dim(`position ${against.position}`)}`);
  if (against.truncated) output.note('so much happened in between that not all of it was read: causes may be missing');
  for (const scope of against.lexicalOnly) output.note(`${scope} was searched by words only, because its model is not configured here`);
  for (const change of against.changes) printChange(output, change);
  output.line(dim(`${against.unchanged} unchanged`));
};

const lineOf = ({ rank, score, source, text }: ReplayHit, dim: (text: string) => string): string =>
  `${String(rank).padStart(3)}. ${source}  ${dim(score.toFixed(4))}  ${cut(text.replaceAll(/\s+/gu, ' '), 60)}`;

const printChange = (output: Output, { change, hit, before, after, causes }: ReplayChange): void => {
  const { dim, green, red, yellow } = output.colors;
  const mark = { gained: green('+'), lost: red('-'), moved: yellow('~') }[change];
  const places = [before, after].map((place) => (place === undefined ? 'not found' : `rank ${place.rank}`)).join(' → ');
  output.line(`${mark} ${hit.source}  ${dim(places)}  ${cut(hit.text.replaceAll(/\s+/gu, ' '), 60)}`);
  for (const cause of causes) output.line(`    ${causeText(cause)}`);
};

const causeText = ({ kind, detail, events }: ReplayCause): string => `${kind}: ${detail}${eventsText(events)}`;

const eventsText = (events: ReplayCause['events']): string => {
  if (events.length === 0) return '';
  const shown = events.slice(0, 3).map(({ position, type, at }) => `${type} at ${position} (${at})`);
  return `: ${shown.join(', ')}${events.length > 3 ? ` and ${events.length - 3} more` : ''}`;
};
