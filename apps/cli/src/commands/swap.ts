import type { PalimpsestClient, SwapChanged, SwapView } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import { sizeOf } from '../render/size.ts';
import type { Session } from '../session.ts';
import { runLines } from './follow-evaluation.ts';
import { addCanary, canaryLines } from './swap-canary.ts';
import { cutoverOf } from './swap-cutover.ts';
import { addPlan } from './swap-plan.ts';
import { addRecipe, chunkingLabel, recipeOf, type RecipeOptions } from './swap-recipe.ts';
import { addEvaluate, pastQueriesOf, type PastOptions } from './swap-evaluate.ts';

const SCOPE = 'deployment, platform, team:<id>, user:<id>';

export const addSwap: AddCommand = (program, asAction) => {
  const swap = program.command('swap').description('Move scopes to another embedding model or chunking, and back.');
  const withScope = (name: string, description: string) => swap.command(name).description(description).argument('<scope>', SCOPE);
  swap.command('list', { isDefault: true }).description('List the scopes with more than one live generation.').action(asAction(list));
  addPlan(swap, withScope, asAction);
  addRecipe(withScope('start', 'Build a generation of another model or chunking. Searches keep using the old one until the cut-over.'))
    .option('--plan <id>', 'start exactly this plan, for example p1')
    .option('--manual', 'wait for `swap cutover` once the generation is built')
    .option('--gate', 'evaluate the generation once it is built; cut over if it is not worse, otherwise wait for a person')
    .option('--companion', 'never use the generation alone: its vectors rerank what the active one finds')
    .option('--past-after <moment>', 'with --gate: ask only past queries after a position or time')
    .option('--past-before <moment>', 'with --gate: ask only past queries before a position or time')
    .action(asAction(start));
  withScope('status', 'Show the generations of a scope and the progress of its swap.').action(asAction(status));
  withScope('watch', 'Show the progress until the swap is paused, ready or complete.').action(asAction(watch));
  withScope('pause', 'Pause the swap.').option('--reason <text>', 'shown with the status of the swap').action(asAction(pause));
  withScope('resume', 'Resume a paused swap.').action(asAction(act((client, scope, options) => client.swaps.resume(scope, options))));
  addEvaluate(withScope, asAction);
  addCanary(withScope, asAction, (session, view) => show(session, view));
  withScope('cutover', 'Let searches use the new generation.')
    .option('--force', 'although its evaluation found that it is worse; needs --reason')
    .option('--reason <text>', 'why the cut-over is forced; recorded in the audit trail')
    .action(asAction(cutOver));
  withScope('rollback', 'Let searches use the previous generation again.').action(
    asAction(act((client, scope, options) => client.swaps.rollBack(scope, options))),
  );
  withScope('cancel', 'Delete what was built, before the cut-over.').action(
    asAction(act((client, scope, options) => client.swaps.cancel(scope, options))),
  );
  withScope('retire', 'Delete the generation in standby, which cannot be rolled back to afterwards, or else the companion.')
    .option('--generation <id>', 'needed if several generations are in standby, or to retire the companion while one is')
    .action(asAction(retire));
};

type Options = Readonly<{ signal: AbortSignal }>;

const list = async ({ output, signal, connect }: Session): Promise<number> => {
  const swaps = await connect().swaps.list({ signal });
  output.result({ swaps }, () => {
    output.table(
      ['scope', 'state', 'generations', 'ranges'],
      swaps.map(({ scope, state, generations, swap }) => [
        scope,
        state,
        generations
          .filter(({ status: is }) => is !== 'retired')
          .map(({ generation, status: is }) => `${generation} ${is}`)
          .join(', '),
        swap === undefined ? '' : `${swap.ranges.done}/${swap.ranges.total}`,
      ]),
    );
  });
  return EXIT.ok;
};

type StartOptions = RecipeOptions & PastOptions & Readonly<{ plan?: string; manual?: true; gate?: true; companion?: true }>;

const start = async (
  session: Session,
  { plan, manual, gate, companion, pastAfter, pastBefore, ...recipe }: StartOptions,
  scope: string,
): Promise<number> => {
  const way = cutoverOf({ manual, gate, companion });
  const asked = await recipeOf(recipe, session);
  if (plan !== undefined && (Object.keys(asked).length > 0 || way.cutover !== undefined))
    throw new UsageError('a plan has a model and a cut-over: expected --plan alone');
  const target = {
    ...(plan === undefined ? {} : { plan }),
    ...asked,
    ...way,
    ...pastQueriesOf({ pastAfter, pastBefore }),
  };
  return show(session, await session.connect().swaps.start(scope, target, { signal: session.signal }));
};

type CutOverOptions = Readonly<{ force?: true; reason?: string }>;

const cutOver = async (session: Session, { force, reason }: CutOverOptions, scope: string): Promise<number> => {
  if ((force === true) !== (reason !== undefined)) throw new UsageError('expected --force and --reason <text> together');
  return show(session, await session.connect().swaps.cutOver(scope, reason, { signal: session.signal }));
};

const pause = async (session: Session, { reason }: Readonly<{ reason?: string }>, scope: string): Promise<number> =>
  show(session, await session.connect().swaps.pause(scope, reason, { signal: session.signal }));

const retire = async (session: Session, { generation }: Readonly<{ generation?: string }>, scope: string): Promise<number> => {
  const { output } = session;
  const view = await session.connect().swaps.retire(scope, generation, { signal: session.signal });
  output.result(view, () => [...linesOf(view), freedOf(view)].forEach((line) => output.line(line)));
  return EXIT.ok;
};

const status = async (session: Session, _options: unknown, scope: string): Promise<number> =>
  show(session, await session.connect().swaps.get(scope, { signal: session.signal }));

const act =
  (run: (client: PalimpsestClient, scope: string, options: Options) => Promise<SwapChanged>) =>
  async (session: Session, _options: unknown, scope: string): Promise<number> =>
    show(session, await run(session.connect(), scope, { signal: session.signal }));

/** Whether the platform evaluates the built generation at the moment. */
const isEvaluated = ({ state, swap, evaluation }: SwapView): boolean =>
  state === 'ready' && swap?.cutover === 'gate' && evaluation?.generation !== swap.generation;

const isWorkedOn = (view: SwapView): boolean => view.state === 'building' || isEvaluated(view);

/** Interrupting the command does not stop the server's work. */
const watch = async (session: Session, _options: unknown, scope: string): Promise<number> => {
  const { output, signal } = session;
  const { swaps } = session.connect();
  let view = await swaps.get(scope, { signal });
  const bar = output.progress('chunks', view.swap?.total ?? 0);
  const stop = new AbortController();
  try {
    bar.update(view.swap?.chunks ?? 0);
    if (isWorkedOn(view))
      for await (view of swaps.follow(scope, { signal: AbortSignal.any([signal, stop.signal]) })) {
        bar.update(view.swap?.chunks ?? 0);
        if (!isWorkedOn(view)) stop.abort();
      }
    signal.throwIfAborted();
  } finally {
    bar.stop();
  }
  return show(session, view);
};

const show = ({ output }: Session, view: SwapView): number => {
  output.result(view, () => linesOf(view).forEach((line) => output.line(line)));
  return EXIT.ok;
};

const freedOf = ({ freed }: SwapChanged): string =>
  `freed       ${freed === undefined ? 'not measured: the index is a server, or the read models are behind' : `${sizeOf(freed.memory)} of memory, ${sizeOf(freed.disk)} of disk`}`;

const linesOf = ({
  scope,
  state,
  generations,
  plan,
  swap,
  evaluation,
  evaluationRun,
  canary,
  notRechunked,
}: SwapView): readonly string[] => [
  `scope       ${scope} ${state}`,
  ...generations.map(
    ({ generation, embeddingVersion, chunking, status: is }) =>
      `generation  ${generation} ${is} (${embeddingVersion}${chunkingLabel(chunking)})`,
  ),
  ...(plan === undefined || plan.started !== undefined
    ? []
    : [
        `plan        ${plan.plan} to ${plan.embeddingVersion}${chunkingLabel(plan.chunking)}, ${plan.approved ? 'approved' : 'not approved'}`,
      ]),
  ...(swap === undefined || state === 'idle' ? [] : progressOf(swap)),
  ...(notRechunked === undefined ? [] : keptLines(notRechunked)),
  ...(evaluation === undefined
    ? []
    : [
        `evaluation  ${evaluation.generation} against ${evaluation.against}: ${evaluation.verdict}`,
        ...evaluation.reasons.map((reason) => `            ${reason}`),
      ]),
  ...runLines(evaluationRun),
  ...(canary === undefined ? [] : canaryLines(canary)),
];

const keptLines = ({ total, documents }: NonNullable<SwapView['notRechunked']>): readonly string[] => [
  `not chunked ${total} documents keep their chunks`,
  ...documents.map(({ source, reason }) => `            ${source}: ${reason}`),
];

const SLOWED = {
  load: 'searches are slower than before the swap, or more and more documents wait',
  cap: 'a setting limits it',
} as const;

const progressOf = (swap: NonNullable<SwapView['swap']>): readonly string[] => {
  const { ranges, chunks, total, withoutVector, tokens, cost, chunksPerSecond, remainingSeconds, slowed, paused, cutover } = swap;
  const price = cost === undefined ? '' : ` for $${cost.toFixed(4)}`;
  const rate = chunksPerSecond === undefined ? '' : `, ${chunksPerSecond.toFixed(1)} chunks/s`;
  const rest = remainingSeconds === undefined ? '' : `, about ${Math.ceil(remainingSeconds)} s left`;
  return [
    `cut-over    ${cutover}`,
    `progress    ${ranges.done} of ${ranges.total} ranges, ${chunks} of ${total} chunks, ${tokens} tokens${price}${rate}${rest}`,
    ...(withoutVector > 0 ? [`rejected    ${withoutVector} chunks; they can be found by keywords only`] : []),
    ...(slowed === undefined ? [] : [`slowed      to ${slowed.percent} % of the time: ${SLOWED[slowed.because]}`]),
    ...(paused === undefined ? [] : [`paused      by ${paused.by === 'person' ? 'a person' : 'the platform'}: ${paused.reason}`]),
  ];
};
