import { Module } from '@nestjs/common';
import type { Journal } from '@palimpsest/contracts';
import type { ScopeKeys } from '@palimpsest/knowledge';
import { LiveModule, PORT } from '@palimpsest/runtime';
import { BrowseEvents } from '../events/browse-events.ts';
import { EventsController } from './events-controller.ts';

/** Read access to the event log itself. */
@Module({
  imports: [LiveModule],
  controllers: [EventsController],
  providers: [{ provide: BrowseEvents, inject: [PORT.Journal, PORT.ScopeKeys], useFactory: (journal: Journal, keys: ScopeKeys) => new BrowseEvents(journal.log, keys) }],
})
export class EventsModule {}
