import type { SwapPlanList, SwapPlanView } from '@palimpsest/client';
import type { Command } from 'commander';
import type { AsAction } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import { wholeNumber } from '../options.ts';
import type { Output } from '../render/output.ts';
import { amounts, costOf, duration, showTenants, showTotal, spaceOf } from '../render/planned-sums.ts';
import type { Session } from '../session.ts';
import { cutoverOf } from './swap-cutover.ts';
import { addRecipe, chunkingLabel, recipeOf } from './swap-recipe.ts';

type WithScope = (name: string, description: string) => Command;

export const addPlan = (swap: Command, withScope: WithScope, asAction: AsAction): void => {
  addRecipe(swap.command('plan').description('Find out what a swap would take, and record it as a plan. Nothing is started.'))
    .option('--scope <scope>', 'deployment, platform, team:<id>, user:<id> (default: all scopes that the key may read)')
    .option('--manual', 'a swap that waits for `swap cutover` once the generation is built')
    .option('--gate', 'a swap that is cut over if its evaluation finds that it is not worse')
    .option('--companion', 'a generation that is never used alone: its vectors rerank what the active one finds')
    .option('--sample <chunks>', 'chunks that the model embeds to measure its speed; 0: none (default: 64)', wholeNumber(0, 1_024))
    .option('--seed <number>', 'seed of all samples (default: derived from the log)', wholeNumber(0, 2 ** 32 - 1))
    .option('--latest', 'show the latest plan of --scope instead of a new one')
    .option('--all-tenants', 'for operators: an estimate by tenant, which is not recorded')
    .action(asAction(plan));
  withScope('approve', 'Approve the latest plan of a scope. The person who made it cannot.')
    .requiredOption('--plan <id>', 'the plan, for example p1')
    .action(asAction(approve));
};

type Options = Readonly<{
  model?: string;
  chunking?: string;
  analyser?: string;
  scope?: string;
  manual?: true;
  gate?: true;
  companion?: true;
  sample?: number;
  seed?: number;
  latest?: true;
  allTenants?: true;
}>;

/** @throws UsageError for options that contradict each other */
const refuseContradictions = ({ scope, manual, gate, companion, seed, latest, allTenants, chunking, analyser }: Options): void => {
  if (latest && scope === undefined) throw new UsageError('expected --scope <scope> with --latest');
  if (allTenants && [scope, latest, manual, gate, companion, seed, chunking, analyser].some((given) => given !== undefined))
    throw new UsageError('--all-tenants goes only with --model and --sample');
};

const measuredOf = ({ model, sample }: Options) => ({
  ...(model === undefined ? {} : { embeddingVersion: model }),
  ...(sample === undefined ? {} : { sample }),
});

const askedOf = async (options: Options, session: Session) => ({
  ...measuredOf(options),
  ...(await recipeOf(options, session)),
  ...cutoverOf(options),
  ...(options.seed === undefined ? {} : { seed: options.seed }),
});

const plan = async (session: Session, options: Options): Promise<number> => {
  const { output, signal, connect } = session;
  refuseContradictions(options);
  const { scope, latest, allTenants } = options;
  const { swaps } = connect();
  if (allTenants) {
    const all = await swaps.planTenants(measuredOf(options), { signal });
    output.result(all, () => showTenants(output, all));
  } else if (scope === undefined) {
    const all = await swaps.planAll(await askedOf(options, session), { signal });
    output.result(all, () => showAll(output, all));
  } else {
    const one = latest ? await swaps.latestPlan(scope, { signal }) : await swaps.plan(scope, await askedOf(options, session), { signal });
    output.result(one, () => linesOf(one).forEach((line) => output.line(line)));
  }
  return EXIT.ok;
};

const approve = async ({ output, signal, connect }: Session, { plan: id }: Readonly<{ plan: string }>, scope: string): Promise<number> => {
  const approved = await connect().swaps.approvePlan(scope, id, { signal });
  output.result(approved, () => linesOf(approved).forEach((line) => output.line(line)));
  return EXIT.ok;
};

const linesOf = (view: SwapPlanView): readonly string[] => {
  const {
    scope,
    plan: id,
    embeddingVersion,
    chunking,
    cutover,
    documents,
    chunks,
    tokens,
    reusable,
    rechunked,
    bytes,
    knowledgeBases,
    approved,
    started,
  } = view;
  return [
    `plan        ${id} of ${scope}, to ${embeddingVersion}${chunkingLabel(chunking)}`,
    `cut-over    ${cutover}`,
    `contents    ${documents} documents, ${chunks} chunks, ${tokens.texts} tokens (${precisionOf(tokens)})`,
    ...(rechunked ? [`chunked     ${rechunkedOf(rechunked)}`] : []),
    `to embed    ${tokens.embedded} tokens; ${reusable.exact ? '' : 'about '}${reusable.chunks} chunks have a vector of this model already`,
    `cost        ${costOf(view.cost)}`,
    `time        ${timeOf(view.time)}`,
    `space       ${spaceOf(bytes)}`,
    ...knowledgeBases.map(
      (base) => `            ${base.knowledgeBase}: ${base.documents} documents, ${base.chunks} chunks, ${base.tokens} tokens`,
    ),
    ...(approved ? [`approved    ${approved.at} by ${approved.by.user ?? approved.by.actor}`] : []),
    ...(started === undefined ? [] : [`started     generation ${started}`]),
  ];
};

const precisionOf = ({ method, error, tokenizer, read }: SwapPlanView['tokens']): string => {
  const within = error === undefined ? '' : `, ±${(100 * error).toFixed(1)} %`;
  if (method === 'counted') return `counted with ${tokenizer}`;
  return method === 'sampled' ? `${tokenizer}, ${read} chunks counted${within}` : `an estimate: the model has no tokenizer here${within}`;
};

const rechunkedOf = ({ read, kept, exact, error }: NonNullable<SwapPlanView['rechunked']>): string => {
  const within = error === undefined ? '' : `: chunks ±${(100 * error).toFixed(1)} %`;
  const those = exact
    ? `all ${read} documents were chunked again to count this`
    : `${read} documents were chunked again to estimate this${within}`;
  return kept === 0 ? those : `${those}; ${kept} of them would keep their chunks`;
};

const timeOf = (time: SwapPlanView['time']): string => {
  if (!time) return 'unknown: no sample was embedded';
  const { seconds, sampledChunks, sampleSeconds, refused, limitedBy } = time;
  const by = limitedBy === 'model' ? '' : `, limited by ${limitedBy}`;
  const without = refused === 0 ? '' : `; the model rejects ${refused} more`;
  return `about ${duration(seconds)} (${sampledChunks} chunks took ${sampleSeconds.toFixed(2)} s${without}${by})`;
};

const showAll = (output: Output, { plans, left, total }: SwapPlanList): void => {
  output.table(
    ['scope', 'plan', 'documents', 'chunks', 'tokens', 'reused', 'cost', 'time'],
    plans.map(({ scope, plan: id, documents, chunks, tokens, reusable, cost, time }) => [
      scope,
      id,
      documents,
      chunks,
      tokens.embedded,
      reusable.chunks,
      ...amounts(cost, time?.seconds),
    ]),
  );
  showTotal(output, total);
  for (const { scope, reason } of left) output.line(`no plan     ${scope}: ${reason}`);
};
