import type { Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import { feature } from '@palimpsest/runtime';
import { Timelines } from '../timeline/list-timeline.ts';
import { TimelineController } from './timeline-controller.ts';

/** What happened in a scope, from the event log. */
export const timeline = feature(
  'timeline',
  ({ journal, keys, system }: Readonly<{ journal: Journal; keys: ScopeKeys; system: System }>) => ({
    useCases: [new Timelines(journal, keys, system.clock)],
    routes: [TimelineController],
  }),
);
