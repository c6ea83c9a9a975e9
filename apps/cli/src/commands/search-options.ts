import { REQUEST_LIMITS } from '@palimpsest/client';
import { Option } from 'commander';
import type { Command } from 'commander';
import type { SearchRequest, SearchResult, Strategy } from '@palimpsest/client';
import type { Output } from '../render/output.ts';
import { collect, numberWithin, wholeNumber } from '../options.ts';
import { readJson } from '../read-json.ts';
import { asOfOption, type AsOfOption } from './as-of.ts';

export type SearchOptions = AsOfOption &
  Readonly<{
    top?: number;
    strategy?: Strategy;
    kb?: readonly string[];
    scope?: readonly string[];
    language?: string;
    filter?: string;
    explain?: boolean;
    collapse?: boolean;
    groupByDocument?: boolean;
    perGroup?: number;
    diversity?: number;
    minRelevance?: number;
    expand?: NonNullable<SearchRequest['expand']>;
    neighbours?: number;
    require?: readonly string[];
    exclude?: readonly string[];
    phrase?: readonly string[];
    rewrite?: SearchRequest['rewrite'];
    spelling?: boolean;
  }>;

/** Those that every installation has. */
export const COMMON_STRATEGIES = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] as const satisfies readonly Strategy[];
export const STRATEGIES = [...COMMON_STRATEGIES, 'DenseSparseRerank'] as const satisfies readonly Strategy[];

/** The options of every retrieval command. */
export const withSearchOptions = (command: Command): Command =>
  command
    .option('--top <number>', 'number of results', wholeNumber(1, REQUEST_LIMITS.topK.max))
    .addOption(new Option('--strategy <name>', 'retrieval strategy (default: that of the knowledge bases)').choices(STRATEGIES))
    .option('--kb <id>', 'only in this knowledge base; may be repeated', collect)
    .option('--scope <scope>', 'only in this scope; may be repeated', collect)
    .option('--language <tag>', 'language of the query, such as en or de; detected if not given')
    .option('--filter <json>', 'only in documents that satisfy this filter')
    .option('--require <words>', 'only passages with these words, in any form; may be repeated', collect)
    .option('--exclude <words>', 'only passages without these words; may be repeated', collect)
    .option('--phrase <words>', 'only passages with these words next to each other; may be repeated', collect)
    .option('--no-spelling', 'do not correct words that no passage has')
    .option('--collapse', 'show near-identical passages once, with their number')
    .option('--group-by-document', 'put the passages of a document next to each other')
    .option('--per-group <number>', 'with --group-by-document: maximum number of passages of a document (default: 3)', wholeNumber(1, 20))
    .option('--diversity <number>', 'how much similarity to better results counts against a result, from 0 to 1', numberWithin(0, 1))
    .option('--min-relevance <number>', 'leave out results with a lower relevance, from 0 to 1', numberWithin(0, 1))
    .addOption(
      new Option('--expand <what>', 'show the passages around each result: its neighbours, or its section').choices([
        'neighbours',
        'section',
      ]),
    )
    .option('--neighbours <number>', 'with --expand neighbours: passages on each side (default: 1)', wholeNumber(1, 3))
    .addOption(
      new Option('--rewrite <by>', 'also search for what the chat model writes: other wordings, or a passage that could answer').choices([
        'queries',
        'hypothetical',
      ]),
    )
    .addOption(asOfOption());

export const requestFrom = (
  query: string,
  {
    top,
    strategy,
    kb,
    scope,
    language,
    filter,
    explain,
    asOf,
    collapse,
    groupByDocument,
    perGroup,
    diversity,
    minRelevance,
    rewrite,
    spelling,
    expand,
    neighbours,
    ...words
  }: SearchOptions,
): SearchRequest => ({
  query,
  topK: top,
  strategy,
  knowledgeBases: kb,
  scopes: scope,
  language,
  filter: filter === undefined ? undefined : (readJson(filter, '--filter') as SearchRequest['filter']),
  explain,
  asOf,
  collapse,
  groupBy: groupByDocument === true ? 'document' : undefined,
  perGroup,
  diversity,
  minRelevance,
  expand,
  neighbours,
  terms: termsFrom(words),
  rewrite,
  spelling: spelling === false ? false : undefined,
});

const termsFrom = ({ require, exclude, phrase }: Pick<SearchOptions, 'require' | 'exclude' | 'phrase'>): SearchRequest['terms'] =>
  require === undefined && exclude === undefined && phrase === undefined
    ? undefined
    : { required: require, excluded: exclude, phrases: phrase };

export const noteCorrections = (output: Output, corrections: SearchResult['corrections'] = []): void => {
  for (const { from, to } of corrections) output.note(`no passage has ${from}: searched for ${to} (--no-spelling: not corrected)`);
};

/** Says which terms were no condition. */
export const noteSynonyms = (output: Output, synonyms: SearchResult['synonyms']): void => {
  for (const { word, synonyms: others } of synonyms?.added ?? []) output.note(`searched, too, for ${word}: ${others.join(', ')}`);
  if (synonyms?.limited) output.note('not all combinations of synonyms were searched, since there are too many');
};

export const noteIgnored = (output: Output, ignored: readonly string[] = []): void => {
  if (ignored.length > 0) output.note(`ignored, since it is a stop word: ${ignored.join(', ')}`);
};
