import { REQUEST_LIMITS } from '@palimpsest/client';
import type { Grounding } from '@palimpsest/client';
import { Option } from 'commander';
import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import { wholeNumber } from '../options.ts';
import type { Session } from '../session.ts';
import { noteMoment } from './as-of.ts';
import { noteCorrections, noteIgnored, noteSynonyms, requestFrom, withSearchOptions } from './search-options.ts';
import type { SearchOptions } from './search-options.ts';

type ContextOptions = SearchOptions & Readonly<{ maxTokens?: number; grounding?: Grounding; compress?: boolean }>;

export const addContext: AddCommand = (program, asAction) => {
  withSearchOptions(
    program.command('context').description('Build a context for a prompt from the best passages.').argument('<query>', 'the question'),
  )
    .option(
      '--max-tokens <number>',
      'maximum length in tokens',
      wholeNumber(REQUEST_LIMITS.contextTokens.min, REQUEST_LIMITS.contextTokens.max),
    )
    .addOption(
      new Option('--grounding <mode>', 'how the model should treat the context').choices(['Permissive', 'Preferred', 'StrictlyGrounded']),
    )
    .option('--compress', 'shorten passages to the sentences that carry the question, if not all of them fit')
    .action(asAction(context));
};

const context = async (session: Session, options: ContextOptions, query: string): Promise<number> => {
  const { output, signal } = session;
  const { maxTokens, grounding, compress } = options;
  const result = await session.connect().context({ ...requestFrom(query, options), maxTokens, grounding, compress }, { signal });
  output.result(result, () => {
    noteMoment(output, result.asOf);
    if (result.downgraded) output.note(result.downgraded.detail);
    if (result.defaultStrategy) output.note(result.defaultStrategy.detail);
    for (const { detail } of result.lexicalOnly ?? []) output.note(detail);
    noteIgnored(output, result.ignoredTerms);
    noteCorrections(output, result.corrections);
    noteSynonyms(output, result.synonyms);
    if (result.rewritten?.outcome === 'skipped') output.note(result.rewritten.detail);
    if (result.reranked && result.reranked.outcome !== 'blended') output.note(result.reranked.detail);
    output.line(result.text);
    const cited = result.citations.map(({ label, source }) => `${label} ${source}`).join('\n');
    output.note(
      output.colors.dim(`${cited}${cited === '' ? '' : '\n'}${result.tokens} tokens, ${result.leftOut.length} passages left out`),
    );
  });
  return EXIT.ok;
};
