import type { Journal } from '@palimpsest/contracts';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import { feature } from '@palimpsest/runtime';
import { BrowseEvents } from '../events/browse-events.ts';
import { FollowEventsHandler } from '../events/follow-events.ts';
import { EventsController } from './events-controller.ts';

/** Read access to the event log itself. */
export const events = feature('events', ({ journal, keys }: Readonly<{ journal: Journal; keys: ScopeKeys }>) => {
  const browse = new BrowseEvents(journal.log, keys);
  return { useCases: [browse, new FollowEventsHandler(browse)], routes: [EventsController] };
});
