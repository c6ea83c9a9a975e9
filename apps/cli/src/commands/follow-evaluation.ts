import { setTimeout as sleep } from 'node:timers/promises';
import type { EvaluationStarted, EvaluationView, PalimpsestClient, SwapView } from '@palimpsest/client';
import type { Session } from '../session.ts';

const POLL_MS = 500;
/** How long the server may not know the evaluation: with several replicas, another one may answer. */
const UNKNOWN_POLLS = 10;

type Run = NonNullable<SwapView['evaluationRun']>;

/** Follows an evaluation in the background, and shows its progress. @throws Error that says why there is no result */
export const followEvaluation = async (
  { output, signal }: Session,
  { swaps }: PalimpsestClient,
  { scope, evaluationRun }: EvaluationStarted,
): Promise<EvaluationView> => {
  let bar: ReturnType<Session['output']['progress']> | undefined;
  const show = ({ queries }: Run): void => {
    if (queries) (bar ??= output.progress('queries', queries.total)).update(queries.done);
  };
  try {
    for (let unknown = 0; unknown < UNKNOWN_POLLS;) {
      const { evaluationRun: run, evaluation } = await swaps.get(scope, { signal });
      if (run?.run === evaluationRun.run) {
        unknown = 0;
        show(run);
        if (run.state === 'failed') throw new Error(`the evaluation failed: ${run.reason ?? 'for an unknown reason'}`);
        if (run.state === 'complete') return await swaps.evaluation(scope, { signal });
      } else if (evaluation && evaluation.evaluatedAt >= evaluationRun.startedAt) {
        return await swaps.evaluation(scope, { signal });
      } else unknown++;
      await sleep(POLL_MS, undefined, { signal });
    }
  } catch (error) {
    if (signal.aborted)
      output.note(`the evaluation continues: see \`palimpsest swap status ${scope}\`, then \`swap evaluate ${scope} --latest\``);
    throw error;
  } finally {
    bar?.stop();
  }
  throw new Error(
    `the server that answers does not run this evaluation: the process that ran it ended, or is another replica. Look for a result with --latest later, or evaluate again`,
  );
};

/** The evaluation that runs or failed, in the status of a swap. The result of a complete one is the latest evaluation. */
export const runLines = (run: SwapView['evaluationRun']): readonly string[] => {
  if (run === undefined || run.state === 'complete') return [];
  if (run.state === 'failed') return [`evaluation  failed at ${run.endedAt ?? ''}: ${run.reason ?? ''}`];
  const { queries, startedAt } = run;
  const done = queries === undefined ? 'checking the vectors' : `${queries.done} of ${queries.total} queries`;
  return [`evaluating  ${done}, since ${startedAt}`];
};
