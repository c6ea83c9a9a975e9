import type { Hit, SearchResult } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import { highlight } from '../render/highlight.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';
import { noteMoment } from './as-of.ts';
import { noteCorrections, noteIgnored, noteSynonyms, requestFrom, withSearchOptions } from './search-options.ts';
import type { SearchOptions } from './search-options.ts';

export const addSearch: AddCommand = (program, asAction) => {
  withSearchOptions(
    program
      .command('search')
      .description('Find the passages that answer a question.')
      .argument('<query>', 'the question, in plain language'),
  )
    .option('--explain', 'explain each score')
    .action(asAction(search));
};

const search = async (session: Session, options: SearchOptions, query: string): Promise<number> => {
  const { output, signal } = session;
  const result = await session.connect().search(requestFrom(query, options), { signal });
  output.result(result, () => printResults(output, result));
  return EXIT.ok;
};

const printResults = (
  output: Output,
  {
    hits,
    miss,
    timings,
    downgraded,
    defaultStrategy,
    lexicalOnly = [],
    ignoredTerms,
    corrections,
    synonyms,
    rewritten,
    reranked,
    asOf,
  }: SearchResult,
): void => {
  noteMoment(output, asOf);
  if (downgraded) output.note(downgraded.detail);
  if (defaultStrategy) output.note(defaultStrategy.detail);
  for (const { detail } of lexicalOnly) output.note(detail);
  noteIgnored(output, ignoredTerms);
  noteCorrections(output, corrections);
  noteSynonyms(output, synonyms);
  if (rewritten?.outcome === 'skipped') output.note(rewritten.detail);
  if (reranked && reranked.outcome !== 'blended') output.note(reranked.detail);
  if (miss && hits.length > 0) output.note('No close match: none of the results is likely to be what the query looks for.');
  for (const hit of hits) printResult(output, hit);
  const { dim } = output.colors;
  output.line(
    dim(
      `${hits.length === 0 ? 'no results' : `${hits.length} ${hits.length === 1 ? 'result' : 'results'}`}${timings === undefined ? '' : ` in ${Math.round(timings.totalMs)} ms`}`,
    ),
  );
};

const printResult = (output: Output, hit: Hit): void => {
  const { bold, dim, cyan, yellow } = output.colors;
  const place = [
    hit.page === undefined ? '' : `page ${hit.page}`,
    `lines ${hit.lines[0]}-${hit.lines[1]}`,
    `chunk ${hit.index + 1} of ${hit.of}`,
  ];
  output.line(`${bold(`${hit.rank}. ${hit.title || hit.source}`)}  ${dim(hit.score.toFixed(4))}`);
  output.line(`   ${cyan(hit.source)}  ${dim(place.filter((part) => part !== '').join(', '))}`);
  if (hit.headings.length > 0) output.line(`   ${dim(hit.headings.join(' › '))}`);
  printAround(output, hit, (index) => index < hit.index);
  output.line(`   ${highlight(hit.snippet.text, hit.snippet.highlights, (part) => bold(yellow(part)))}`);
  printAround(output, hit, (index) => index > hit.index);
  if (hit.similar !== undefined) output.line(`   ${dim(`and ${hit.similar.count} more like it`)}`);
  if (hit.explain !== undefined) for (const line of explanationLines(hit.explain)) output.line(`     ${dim(line)}`);
  output.line();
};

const printAround = (output: Output, { around = [] }: Hit, isWanted: (index: number) => boolean): void => {
  for (const { text } of around.filter(({ index }) => isWanted(index)))
    output.line(`   ${output.colors.dim(text.trim().replaceAll(/\s*\n\s*/g, '\n   '))}`);
};

/** An explanation is JSON. Each of its parts becomes one line: `dense: rank 1, score 0.2812`. */
export const explanationLines = (explanation: unknown): readonly string[] =>
  Object.entries(explanation ?? {}).map(([name, part]) => `${name}: ${inline(part)}`);

const inline = (value: unknown): string => {
  if (typeof value === 'number') return String(Number(value.toFixed(4)));
  if (Array.isArray(value)) return value.map(inline).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name} ${Array.isArray(part) ? `[${inline(part)}]` : inline(part)}`)
    .join(', ');
};
