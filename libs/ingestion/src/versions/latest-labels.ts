import type { Journal } from '@palimpsest/contracts';
import { satisfies, type Access } from '@palimpsest/knowledge/access';
import type { RecordedEvent, StreamName } from '@palimpsest/knowledge/ports';
import type { Labels } from '@palimpsest/knowledge/values';
import { dataAt } from './data-at.ts';

/** Whether a document, also one that was deleted since, has the labels that the key of the caller requires. */
export const hasRequiredLabels = async (journal: Journal, { requiredLabels }: Access, stream: StreamName): Promise<boolean> => {
  if (requiredLabels === undefined) return true;
  const labels = await latestLabels(journal, stream);
  return labels !== undefined && satisfies(labels, requiredLabels);
};

/** Of the latest version. Its submission may have been removed with old history. */
const latestLabels = async (journal: Journal, stream: StreamName): Promise<Labels | undefined> => {
  let indexed: RecordedEvent | undefined;
  for await (const event of journal.log.readStream(stream, { direction: 'backwards' })) {
    if (event.type === 'DocumentSubmitted') return (await dataAt(journal, { stream }, event, 'DocumentSubmitted')).labels;
    // A list of an earlier version may have been made after that of the latest one.
    if (event.type === 'DocumentIndexed' && Number(event.data['version']) > Number(indexed?.data['version'] ?? 0)) indexed = event;
  }
  return indexed && (await dataAt(journal, { stream }, indexed, 'DocumentIndexed')).labels;
};
