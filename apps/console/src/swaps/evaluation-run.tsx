import type { SwapView } from '@palimpsest/client';
import { dateTime } from '../format/format.ts';

type Props = Readonly<{ run: SwapView['evaluationRun'] }>;

/** The evaluation that runs, or why the last one failed. A complete one is shown with its verdict. */
export function EvaluationRun({ run }: Props) {
  if (run === undefined || run.state === 'complete') return null;
  if (run.state === 'failed')
    return (
      <p className="bad-text">
        The evaluation of <time dateTime={run.startedAt}>{dateTime(run.startedAt)}</time> failed: {run.reason}
      </p>
    );
  const { queries } = run;
  return (
    <p className="swap-bar" role="status">
      {queries && <progress value={queries.done} max={queries.total} aria-label="Queries compared" />}
      <span>
        {queries ? `Comparing both generations: ${queries.done} of ${queries.total} queries` : 'Checking the vectors of the new generation'}
      </span>
    </p>
  );
}
