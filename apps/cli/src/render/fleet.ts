import type { FleetView } from '@palimpsest/client';
import { chunkingLabel } from '../commands/swap-recipe.ts';
import { sizeOf } from './size.ts';

/** A fleet, its waves, and the scopes that need attention. */
export const linesOfFleet = (fleet: FleetView): readonly string[] => {
  const { id, tenant, state, embeddingVersion, rule, waves, paused, retired, needsAttention, unfinished } = fleet;
  return [
    `fleet      ${id} ${state}${unfinished > 0 ? `, ${unfinished} scopes to do` : ''}`,
    `scopes of  ${tenant ?? 'all tenants'}`,
    `model      ${embeddingVersion}${fleetChunking(fleet.chunking)}`,
    `rule       ${rule.worsePercent} % worse, ${rule.faults} faults; undecided scopes ${rule.undecided === 'wait' ? 'wait' : 'are cut over'}; next wave ${rule.advance}`,
    ...waves.map(
      ({ name, state: is, scopes, counts }, i) =>
        `wave ${i + 1}     ${name}: ${is}, ${scopes} scopes${[...Object.entries(counts)].map(([each, count]) => `, ${count} ${each}`).join('')}`,
    ),
    ...(paused === undefined ? [] : [`paused     by ${PAUSED_BY[paused.by]}: ${paused.reason}`]),
    ...(retired === undefined ? [] : [`retired    what moved scopes used before, since ${retired.at}`, `freed      ${freedOf(fleet)}`]),
    ...needsAttention.scopes.map(
      ({ tenant: of, scope = '(a scope that this key may not read)', wave, state: is, reason = '' }) =>
        `attention  ${of} ${scope} (wave ${wave}): ${is}${reason === '' ? '' : `: ${reason}`}`,
    ),
    ...(needsAttention.total > needsAttention.scopes.length
      ? [`attention  ${needsAttention.total - needsAttention.scopes.length} more`]
      : []),
  ];
};

/** For lines about fleets and their plans. */
export const fleetChunking = (chunking: FleetView['chunking']): string =>
  chunking === 'knowledge-base' ? ', chunking of each knowledge base' : chunkingLabel(chunking);

/** A server does not say what an index uses, and a process that ended at this moment did not record it. */
const freedOf = ({ waves, retired }: FleetView): string => {
  const all = waves.reduce((sum, { counts }) => sum + (counts.retired ?? 0), 0);
  if (!retired?.freed) return 'not measured';
  const { scopes, memory, disk } = retired.freed;
  return `${sizeOf(memory)} of memory, ${sizeOf(disk)} of disk${scopes < all ? ` in ${scopes} of ${all} scopes; not measured in the others` : ''}`;
};

const PAUSED_BY = { person: 'a person', rule: 'its rule', platform: 'the platform' } as const;
