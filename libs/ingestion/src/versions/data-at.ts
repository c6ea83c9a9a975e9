import type { Journal } from '@palimpsest/contracts';
import { Corrupt } from '@palimpsest/knowledge/errors';
import type { EventOfType, DomainEventType } from '@palimpsest/knowledge/events';
import type { DocumentHistory, Recorded } from './document-history.ts';

/** Decodes one event of the document. @throws Corrupt if it is not there */
export const dataAt = async <Type extends DomainEventType>(
  journal: Journal,
  { stream }: Pick<DocumentHistory, 'stream'>,
  { revision }: Pick<Recorded, 'revision'>,
  type: Type,
): Promise<EventOfType<Type>['data']> => {
  for await (const { event } of journal.readStream(stream, { from: revision, limit: 1 }))
    if (event.type === type) return event.data as EventOfType<Type>['data'];
  throw new Corrupt(`${stream}: event ${revision} is not ${type}`);
};
