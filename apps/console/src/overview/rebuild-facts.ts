import type { RebuildView } from '@palimpsest/client';
import { count, counted } from '../format/format.ts';
import { duration } from '../swaps/swap-actions.ts';

export type RebuildAction = Readonly<{ call: 'pauseRebuild' | 'resumeRebuild' | 'cancelRebuild'; name: string; isDanger: boolean }>;

const PAUSE: RebuildAction = { call: 'pauseRebuild', name: 'Pause', isDanger: false };
const RESUME: RebuildAction = { call: 'resumeRebuild', name: 'Resume', isDanger: false };
const CANCEL: RebuildAction = { call: 'cancelRebuild', name: 'Cancel', isDanger: true };

/** What can be done with a rebuild in its state. */
export const rebuildActionsOf = ({ state }: RebuildView): readonly RebuildAction[] =>
  state === 'running' ? [PAUSE, CANCEL] : state === 'paused' ? [RESUME, CANCEL] : [];

export const rebuildFacts = ({
  scopes,
  tenant,
  eventsPerSecond,
  maxEventsPerSecond,
  remainingSeconds,
  result,
}: RebuildView): readonly string[] => [
  ...(scopes === undefined ? [] : [`only ${scopes.join(', ')} of ${tenant}`]),
  ...(eventsPerSecond === undefined ? [] : [`${count(Math.round(eventsPerSecond))} events per second`]),
  ...(maxEventsPerSecond === undefined ? [] : [`at most ${count(maxEventsPerSecond)}`]),
  ...(remainingSeconds === undefined ? [] : [`${duration(remainingSeconds)} left`]),
  ...(result === undefined ? [] : [`${counted(result.documents, 'document')}, ${counted(result.chunks, 'chunk')}`]),
];
