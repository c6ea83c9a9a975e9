import { REQUEST_LIMITS } from '@palimpsest/client';
import { Option } from 'commander';
import type { Command } from 'commander';
import type { SearchRequest, Strategy } from '@palimpsest/client';
import { collect, wholeNumber } from '../options.ts';
import { asOfOption, type AsOfOption } from './as-of.ts';

export type SearchOptions = AsOfOption &
  Readonly<{
    top?: number;
    strategy?: Strategy;
    kb?: readonly string[];
    scope?: readonly string[];
    language?: string;
    explain?: boolean;
  }>;

export const STRATEGIES = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly', 'DenseSparseRerank'] as const satisfies readonly Strategy[];

/** The options of every retrieval command. */
export const withSearchOptions = (command: Command): Command =>
  command
    .option('--top <number>', 'number of results', wholeNumber(1, REQUEST_LIMITS.topK.max))
    .addOption(new Option('--strategy <name>', 'retrieval strategy').choices(STRATEGIES))
    .option('--kb <id>', 'only in this knowledge base; may be repeated', collect)
    .option('--scope <scope>', 'only in this scope; may be repeated', collect)
    .option('--language <tag>', 'language of the query, such as en or de; detected if not given')
    .addOption(asOfOption());

export const requestFrom = (query: string, { top, strategy, kb, scope, language, explain, asOf }: SearchOptions): SearchRequest => ({
  query,
  topK: top,
  strategy,
  knowledgeBases: kb,
  scopes: scope,
  language,
  explain,
  asOf,
});
