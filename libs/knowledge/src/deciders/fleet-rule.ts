import type { FleetRule, WaveCounts } from '../events/fleet-events.ts';

/** The sentence that says why a fleet stops, or undefined if the rule permits this outcome of a wave. */
export const brokenRule = (
  { worsePercent, faults }: Pick<FleetRule, 'worsePercent' | 'faults'>,
  counts: Pick<WaveCounts, 'scopes' | 'worse' | 'faults'>,
): string | undefined => {
  const of = counts.scopes === 1 ? `${counts.scopes} scope` : `${counts.scopes} scopes`;
  if (counts.faults > faults) return `the model or a store failed for ${counts.faults} of ${of} of the wave; the rule accepts ${faults}`;
  const share = counts.scopes === 0 ? 0 : (100 * counts.worse) / counts.scopes;
  if (share > worsePercent)
    return `the evaluation found a loss in ${counts.worse} of ${of} of the wave (${share.toFixed(1)} %); the rule accepts ${worsePercent} %`;
  return undefined;
};
