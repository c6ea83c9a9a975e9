import type { FleetView, NewFleet } from '@palimpsest/client';
import { bytes, counted } from '../format/format.ts';

export type FleetAction = 'pause' | 'resume' | 'continue' | 'cancel' | 'rollBack' | 'retire';

/** What can be done now with a fleet, the usual next step first. The server checks every action again. */
export const fleetActionsOf = ({ state, paused, retired }: Pick<FleetView, 'state' | 'paused' | 'retired'>): readonly FleetAction[] => {
  switch (state) {
    case 'running':
      return ['pause', 'cancel', 'rollBack'];
    case 'waiting':
      return ['continue', 'cancel', 'rollBack'];
    case 'paused':
      return paused?.by === 'rule' ? ['resume', 'continue', 'cancel', 'rollBack'] : ['resume', 'cancel', 'rollBack'];
    case 'complete':
    case 'cancelled':
      return retired ? [] : ['rollBack', 'retire'];
    case 'assigning':
    case 'rolled-back':
      return [];
  }
};

type Words = Readonly<{ name: string; done: string; question?: Readonly<{ title: string; text: string }> }>;

/** `question`: asked first, because searches change, data is deleted, or a loss is accepted. */
export const FLEET_WORDS: Readonly<Record<FleetAction, Words>> = {
  pause: { name: 'Pause', done: 'is paused.' },
  resume: { name: 'Resume', done: 'continues. Swaps that failed are tried again.' },
  continue: {
    name: 'Next wave',
    done: 'goes on to the next wave.',
    question: {
      title: 'Go on to the next wave?',
      text: 'The outcome of this wave is accepted. Scopes that need attention are left to their administrators.',
    },
  },
  cancel: {
    name: 'Cancel the fleet',
    done: 'is cancelled.',
    question: {
      title: 'Cancel this fleet?',
      text: 'No further scope is moved, and what was built for scopes before their cut-over is deleted. Scopes that were cut over keep the new model.',
    },
  },
  rollBack: {
    name: 'Roll back',
    done: 'is rolled back.',
    question: {
      title: 'Roll back every scope that this fleet moved?',
      text: 'Searches use the previous generation of each of these scopes again. Swaps before their cut-over are cancelled.',
    },
  },
  retire: {
    name: 'Retire',
    done: 'retires what its scopes used before.',
    question: {
      title: 'Retire what the scopes of this fleet used before?',
      text: 'The indexes of older generations are deleted. The fleet cannot be rolled back afterwards.',
    },
  },
};

/** What a retirement freed so far. */
export const retiredText = ({ waves, retired }: Pick<FleetView, 'waves' | 'retired'>): string | undefined => {
  if (!retired) return undefined;
  const all = waves.reduce((sum, { counts }) => sum + (counts.retired ?? 0), 0);
  if (!retired.freed) return `${counted(all, 'scope')} retired; what this freed was not measured.`;
  const { scopes, memory, disk } = retired.freed;
  const measured = scopes < all ? `, measured in ${scopes}` : '';
  return `${counted(all, 'scope')} retired. ${bytes(memory)} of memory and ${bytes(disk)} of disk are free${measured}.`;
};

/** The form of a new fleet, as it is typed. */
export type FleetDraft = Readonly<{
  allTenants: boolean;
  canary: string;
  percents: string;
  worsePercent: string;
  faults: string;
  undecided: 'wait' | 'cut-over';
  advance: 'manual' | 'automatic';
  scopesAtOnce: string;
}>;

export const EMPTY_FLEET: FleetDraft = {
  allTenants: false,
  canary: '',
  percents: '1, 10, 100',
  worsePercent: '0',
  faults: '0',
  undecided: 'wait',
  advance: 'manual',
  scopesAtOnce: '4',
};

const words = (text: string): readonly string[] => text.split(/[\s,]+/).filter((word) => word !== '');

/** What the server gets. It names the field of a value that it refuses. */
export const newFleetOf = (draft: FleetDraft, embeddingVersion: string | undefined): NewFleet => ({
  embeddingVersion,
  allTenants: draft.allTenants || undefined,
  canary: words(draft.canary).map((word) => {
    const [first = '', ...rest] = word.split('/');
    return rest.length === 0 ? { scope: first } : { tenant: first, scope: rest.join('/') };
  }),
  percents: words(draft.percents).map(Number),
  worsePercent: Number(draft.worsePercent),
  faults: Number(draft.faults),
  undecided: draft.undecided,
  advance: draft.advance,
  scopesAtOnce: Number(draft.scopesAtOnce),
});
