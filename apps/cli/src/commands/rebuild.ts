import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionError, type PalimpsestClient, type RebuildResult, type RebuildView } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import { collect, wholeNumber } from '../options.ts';
import type { Session } from '../session.ts';

const POLL_MS = 500;
const MAX_RATE = 1_000_000;

export const addRebuild: AddCommand = (program, asAction) => {
  const rebuild = program
    .command('rebuild')
    .description('Rebuild every index, or those of single scopes, from the log. No embedding model is called.');
  rebuild
    .command('start', { isDefault: true })
    .description('Rebuild, and wait for the end. Interrupting the command does not stop the rebuild.')
    .option('--max-rate <number>', 'project at most this many events per second (default: no limit)', wholeNumber(1, MAX_RATE))
    .option('--scope <scope>', 'only this scope; may be repeated', collect)
    .option('--tenant <id>', 'the tenant of --scope (default: that of the key)')
    .action(asAction(start));
  const simple = (name: string, description: string, run: (client: PalimpsestClient, options: Options) => Promise<RebuildView>) =>
    rebuild
      .command(name)
      .description(description)
      .action(asAction(async (session) => show(session, await run(session.connect(), { signal: session.signal }))));
  simple('status', 'Show the progress of the running rebuild, or how the last one ended.', ({ operations }, options) =>
    operations.rebuildStatus(options),
  );
  simple('pause', 'Pause the running rebuild.', ({ operations }, options) => operations.pauseRebuild(options));
  simple('resume', 'Resume the paused rebuild.', ({ operations }, options) => operations.resumeRebuild(options));
  simple('cancel', 'Cancel the running rebuild. The indexes stay as they are.', ({ operations }, options) =>
    operations.cancelRebuild(options),
  );
};

type Options = Readonly<{ signal: AbortSignal }>;

type StartOptions = Readonly<{ maxRate?: number; scope?: readonly string[]; tenant?: string }>;

const start = async (session: Session, { maxRate, scope: scopes, tenant }: StartOptions): Promise<number> => {
  const { output, signal } = session;
  if (tenant !== undefined && scopes === undefined) throw new UsageError('expected --scope <scope> with --tenant');
  const client = session.connect();
  output.note(`rebuilding ${scopes === undefined ? 'every index' : scopes.join(', ')} from the log`);
  const order = {
    ...(maxRate === undefined ? {} : { maxEventsPerSecond: maxRate }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(tenant === undefined ? {} : { tenant }),
  };
  const result = await followed(session, client, client.operations.rebuild({ ...order, signal }));
  output.result(result, () => resultLines(result).forEach((line) => output.line(line)));
  return EXIT.ok;
};

const isActive = ({ state }: RebuildView): boolean => state === 'running' || state === 'paused';

/** Waits for the response, and shows the progress to a person who watches. */
const followed = async (
  { output, signal }: Session,
  client: PalimpsestClient,
  response: Promise<RebuildResult>,
): Promise<RebuildResult> => {
  let bar: ReturnType<Session['output']['progress']> | undefined;
  const look = async (): Promise<RebuildView> => {
    const view = await client.operations.rebuildStatus({ signal });
    const { done, total } = view.positions ?? { done: 0, total: 0 };
    if (isActive(view)) (bar ??= output.progress('events', total)).update(done, noteOf(view));
    return view;
  };
  try {
    return await whileWaiting(response, async () => void (output.isWatched && (await look())), signal);
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    // A long rebuild outlives its connection.
    for (let view = await look(); ; view = await look()) {
      if (view.result) return view.result;
      if (!isActive(view)) throw error;
      await sleep(POLL_MS, undefined, { signal });
    }
  } finally {
    bar?.stop();
  }
};

/** Calls `look` from time to time until the promise is settled. */
const whileWaiting = async <T>(promise: Promise<T>, look: () => Promise<void>, signal: AbortSignal): Promise<T> => {
  let isSettled = false;
  const settled = promise.then(
    () => void (isSettled = true),
    () => void (isSettled = true),
  );
  while (!isSettled) {
    // The timer must not delay the end of the command.
    await Promise.race([settled, sleep(POLL_MS, undefined, { signal, ref: false })]);
    if (!isSettled) await look();
  }
  return promise;
};

const noteOf = (view: RebuildView): string => (view.state === 'paused' ? 'paused' : rateOf(view));

const rateOf = ({ eventsPerSecond, remainingSeconds }: RebuildView): string =>
  [
    ...(eventsPerSecond === undefined ? [] : [`${Math.round(eventsPerSecond)} events/s`]),
    ...(remainingSeconds === undefined ? [] : [`about ${Math.ceil(remainingSeconds)} s left`]),
  ].join(', ');

const show = ({ output }: Session, view: RebuildView): number => {
  output.result(view, () => linesOf(view).forEach((line) => output.line(line)));
  return EXIT.ok;
};

const linesOf = (view: RebuildView): readonly string[] => {
  const { state, startedAt, startedBy, tenant, scopes, positions, maxEventsPerSecond, endedAt, reason, result } = view;
  if (state === 'none') return ['no rebuild since the platform started'];
  const rate = rateOf(view);
  return [
    `rebuild   ${state}`,
    ...(scopes === undefined ? [] : [`scopes    ${scopes.join(', ')} of ${tenant}`]),
    `started   ${startedAt} by ${startedBy}`,
    ...(endedAt === undefined ? [] : [`ended     ${endedAt}`]),
    ...(positions === undefined
      ? []
      : [`progress  position ${positions.done} of ${positions.total} of the log${rate === '' ? '' : `, ${rate}`}`]),
    ...(maxEventsPerSecond === undefined ? [] : [`cap       ${maxEventsPerSecond} events/s`]),
    ...(reason === undefined ? [] : [`reason    ${reason}`]),
    ...(result === undefined ? [] : resultLines(result)),
  ];
};

const resultLines = ({ documents, chunks, seconds, position, embeddingCalls }: RebuildResult): readonly string[] => [
  `rebuilt ${documents} documents, ${chunks} chunks in ${seconds.toFixed(1)} s, up to position ${position}`,
  `embedding calls: ${embeddingCalls}`,
];
