import { CHANGED, QUESTION } from './contents.mjs';

const placesOf = (hits) => JSON.stringify(hits.map(({ chunkId, score }) => [chunkId, score]));

/** Whether each change has causes, and each cause has its events. */
const areExplained = (changes) => changes.every(({ causes }) => causes.length > 0 && causes.every(({ events }) => events.length > 0));

const namesEvent = (changes, kind, type) =>
  changes.some(({ causes }) => causes.some((cause) => cause.kind === kind && cause.events.some((event) => event.type === type)));

/** Replays the search and compares it with now. Returns its position on the log. */
export const replay = async (story, traceId) => {
  story.step(
    'Why did it answer that last week?',
    'The search runs again as it was: with the documents, the model and the query of that moment. Then it is compared with now: each result that changed names the events that caused it.',
  );
  await story.run('replay', traceId, '--compare');
  const { identical, position, recorded, hits, against } = await story.read('replay', traceId, '--compare');
  story.expect('the replay is identical, scores included to the last bit', identical && placesOf(recorded) === placesOf(hits));
  story.expect(`each of ${against.changes.length} changes names its events`, against.changes.length > 0 && areExplained(against.changes));
  story.expect('one of them is the new version of the rule', namesEvent(against.changes, 'reindexed', 'DocumentIndexed'));
  story.expect('another one is the cut-over to the new model', namesEvent(against.changes, 'cutOver', 'GenerationActivated'));
  return { position, recorded };
};

/** Searches as of last week, and compares the versions of the document. */
export const lookBack = async (story, { position, recorded }) => {
  story.step(
    'Search in the past',
    'A search as of the position of last week finds the rule as it was then. Both versions of the document are on the log and can be compared.',
  );
  const search = ['search', QUESTION, '--kb', 'default', '--top', '6', '--as-of', position];
  await story.run(...search);
  const { hits } = await story.read(...search);
  story.expect('it finds what was found last week, with the same scores', placesOf(hits) === placesOf(recorded));
  story.expect(
    'it shows the rule of last week',
    hits.some(({ text }) => text.includes('Up to 5 days')),
  );
  const { documents } = await story.read('documents', 'list', '--source', CHANGED);
  const diff = await story.run('documents', 'diff', documents[0].documentId);
  story.expect('the difference shows both rules', /^-.*Up to 5 days/mu.test(diff) && /^\+.*Up to 10 days/mu.test(diff));
};
