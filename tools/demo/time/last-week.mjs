import { setTimeout as sleep } from 'node:timers/promises';
import { NAMES, PERSON, QUESTION, SECRETS } from './contents.mjs';
import { secretsIn } from './residue.mjs';

const POLL_MS = 100;
const PATIENCE_MS = 120_000;

const eventually = async (what, find) => {
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await sleep(POLL_MS)) {
    const found = await find();
    if (found) return found;
  }
  throw new Error(`not within ${PATIENCE_MS / 1_000} s: ${what}`);
};

/** A search that overlaps with the end of an ingestion sees a part of it, and its replay says so. */
const settled = (story) =>
  eventually('the read models follow the log', async () => (await story.read('status')).projections.every(({ lag }) => lag === 0));

/** A record is on the log a moment after the response. */
const recordedSearch = (story) =>
  eventually('the search is on the log', async () => {
    const { events } = await story.read('events', 'list', '--type', 'KnowledgeRetrieved', '--limit', '1');
    return events[0]?.data.traceId;
  });

/** Adds the documents and searches. Returns the trace id of the search. */
export const lastWeek = async (story, data) => {
  story.step(
    'Last week',
    'A company adds its rules, two letters about one person, and manuals. Its queries are recorded, sealed; it asks one. (All of this happens now: the past is a position on the log.)',
  );
  await story.run('tenants', 'set', 'default', '--overrides', '{"recordQueries":true}');
  await story.run('ingest', 'company');
  await story.run('ingest', 'letters', '--subject', PERSON);
  await story.run('ingest', 'manuals', '--knowledge-base', 'manuals');
  await settled(story);
  await story.run('search', QUESTION, '--kb', 'default', '--top', '6');
  const traceId = await recordedSearch(story);
  await story.run('events', 'list', '--type', 'KnowledgeRetrieved', '--limit', '1');
  const { hits } = await story.read('replay', traceId);
  story.expect(
    'the rule about holidays and a letter are among the results',
    ['company/', 'letters/'].every((folder) => hits.some(({ source }) => source.startsWith(folder))),
  );
  const found = await secretsIn(data);
  story.expect(
    `a scan of the data folder finds ${found.length} of ${SECRETS.length} texts of the letters: their names and titles, while sentences are sealed`,
    found.length > 0 && found.every((text) => NAMES.includes(text)),
  );
  return traceId;
};
