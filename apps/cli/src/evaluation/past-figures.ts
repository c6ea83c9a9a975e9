import type { EvaluationView } from '@palimpsest/client';

const windowText = ({ after, before }: NonNullable<NonNullable<EvaluationView['past']>['window']> = {}): string =>
  [after === undefined ? '' : `, after ${after}`, before === undefined ? '' : `, before ${before}`].join('');

/** How the results of queries changed that callers asked earlier. */
export const pastFigures = ({ window, used, leftOut, agreement, bestScore, withoutResults }: NonNullable<EvaluationView['past']>): string =>
  [
    `${used} ${used === 1 ? 'query' : 'queries'} of callers, ${leftOut} ${leftOut === 1 ? 'record' : 'records'} left out${windowText(window)}`,
    ...(agreement ? [`overlap@10 ${agreement.overlap.toFixed(3)}, RBO ${agreement.rbo.toFixed(3)}`] : []),
    ...(bestScore ? [`best score ${bestScore.before.toFixed(3)} → ${bestScore.after.toFixed(3)}`] : []),
    ...(used === 0 ? [] : [`without results ${withoutResults.before} → ${withoutResults.after}`]),
  ].join('; ');
