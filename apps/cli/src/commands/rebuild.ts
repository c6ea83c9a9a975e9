import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionError, type PalimpsestClient, type RebuildResult, type RebuildView } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import { wholeNumber } from '../options.ts';
import type { Session } from '../session.ts';

const POLL_MS = 500;
const MAX_RATE = 1_000_000;

export const addRebuild: AddCommand = (program, asAction) => {
  const rebuild = program.command('rebuild').description('Rebuild every index from the log. No embedding model is called.');
  rebuild
    .command('start', { isDefault: true })
    .description('Rebuild, and wait for the end. Interrupting the command does not stop the rebuild.')
    .option('--max-rate <number>', 'project at most this many events per second (default: no limit)', wholeNumber(1, MAX_RATE))
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

const start = async (session: Session, { maxRate }: Readonly<{ maxRate?: number }>): Promise<number> => {
  const { output, signal } = session;
  const client = session.connect();
  output.note('rebuilding every index from the log');
  const order = maxRate === undefined ? { signal } : { maxEventsPerSecond: maxRate, signal };
  const result = await followed(session, client, client.operations.rebuild(order));
  output.result(result, () => resultLines(result).forEach((line) => output.line(line)));
  return EXIT.ok;
};

type Answer = Readonly<{ result: RebuildResult }> | Readonly<{ error: unknown }>;

/** Shows the progress until the response arrives, or the rebuild ends: a long one outlives its connection. */
const followed = async (
  { output, signal }: Session,
  client: PalimpsestClient,
  response: Promise<RebuildResult>,
): Promise<RebuildResult> => {
  let answer: Answer | undefined;
  const answered = response.then(
    (result) => void (answer = { result }),
    (error: unknown) => void (answer = { error }),
  );
  let bar: ReturnType<Session['output']['progress']> | undefined;
  try {
    for (;;) {
      await (answer === undefined
        ? Promise.race([answered, sleep(POLL_MS, undefined, { signal })])
        : sleep(POLL_MS, undefined, { signal }));
      const end: Answer | undefined = answer;
      if (end && 'result' in end) return end.result;
      if (end && !(end.error instanceof ConnectionError)) throw end.error;
      if (end === undefined && !output.isWatched) continue;
      const view = await client.operations.rebuildStatus({ signal });
      if (view.state === 'running' || view.state === 'paused') {
        bar ??= output.progress('events', view.positions?.total ?? 0);
        bar.update(view.positions?.done ?? 0, noteOf(view));
      } else if (end) {
        if (view.state === 'complete' && view.result) return view.result;
        throw end.error;
      }
    }
  } finally {
    bar?.stop();
  }
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
  const { state, startedAt, startedBy, positions, maxEventsPerSecond, endedAt, reason, result } = view;
  if (state === 'none') return ['no rebuild since the platform started'];
  const rate = rateOf(view);
  return [
    `rebuild   ${state}`,
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
