import type { EvaluationView } from '@palimpsest/client';
import { counted, milliseconds } from '../format/format.ts';
import { windowText } from '../past/time-window.ts';

/** `+0.012`, `-0.090`; a true minus sign reads better than a hyphen. */
export const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;

/** How many documents both result lists of a query contain. */
export const agreementOf = ({
  resultsBefore,
  resultsAfter,
}: Pick<EvaluationView['worst'][number], 'resultsBefore' | 'resultsAfter'>): string => {
  const after = new Set(resultsAfter.map(({ documentId }) => documentId));
  const both = resultsBefore.filter(({ documentId }) => after.has(documentId)).length;
  return `${counted(both, 'common document')}`;
};

type Evidence = Pick<
  EvaluationView,
  'coverage' | 'spotCheck' | 'canaryStrings' | 'golden' | 'agreement' | 'past' | 'latency' | 'unsettled' | 'missingDocuments'
>;

/** Queries that callers asked earlier. */
const pastOf = ({ window = {}, used, leftOut, agreement, bestScore, withoutResults }: NonNullable<Evidence['past']>): string =>
  [
    ...(windowText(window) === '' ? [] : [windowText(window)]),
    `${used} asked again, ${counted(leftOut, 'record')} left out`,
    ...(agreement ? [`${Math.round(100 * agreement.overlap)} % of the first ten are the same`] : []),
    ...(bestScore ? [`best score ${bestScore.before.toFixed(3)} → ${bestScore.after.toFixed(3)}`] : []),
    ...(used === 0 ? [] : [`without results ${withoutResults.before} → ${withoutResults.after}`]),
  ].join('; ');

/** What was checked, apart from the measures. */
export const factsOf = ({
  coverage,
  spotCheck,
  canaryStrings,
  golden,
  agreement,
  past,
  latency,
  unsettled,
  missingDocuments,
}: Evidence) => {
  const facts: (readonly [string, string] | undefined)[] = [
    [
      'Vectors',
      `${counted(coverage.chunks, 'chunk')}: ${coverage.refused} rejected by the model, ${coverage.unexplained} missing without a reason`,
    ],
    ['Spot check', `${counted(spotCheck.checked, 'chunk')} embedded again: ${spotCheck.mismatched} differ from the stored vector`],
    canaryStrings && [
      'Model',
      `the same as when it was first used: lowest cosine ${canaryStrings.lowest.toFixed(4)} over ${canaryStrings.strings} canary strings`,
    ],
    ['Judged queries', `${golden.used} used, ${golden.synthetic} left out as synthetic, ${golden.unusable} without a document that exists`],
    missingDocuments.length === 0
      ? undefined
      : ['Missing documents', `${counted(missingDocuments.length, 'judged document')} not there any more; they do not count`],
    unsettled === 0 ? undefined : ['Left out', `${counted(unsettled, 'query', 'queries')}: documents changed during each attempt`],
    agreement && ['Same results', `${Math.round(100 * agreement.overlap)} % of the first ten`],
    past && ['Past queries', pastOf(past)],
    latency && [
      'Latency',
      `p50 ${milliseconds(latency.before.p50)} → ${milliseconds(latency.after.p50)}, p95 ${milliseconds(latency.before.p95)} → ${milliseconds(latency.after.p95)}`,
    ],
  ];
  return facts.filter((fact) => fact !== undefined);
};
