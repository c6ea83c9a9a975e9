import type { ComparedRetrieval, ReplayedWindow, ReplayWindowRequest } from '@palimpsest/client';
import { EXIT } from '../failure.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';

/** Searches of one request: each runs two or three times. */
const PAGE = 20;

export type LastOptions = Readonly<{ last: number; after?: string; before?: string }>;
type Found = Pick<ReplayedWindow, 'retrievals' | 'skipped'>;

/** Replays the last searches and compares each. Exits with 1 if one of them is not identical. */
export const replayLast = async (
  session: Session,
  { last, after, before }: LastOptions,
  against: ReplayWindowRequest['against'],
): Promise<number> => {
  const { output, signal } = session;
  const { retrievals } = session.connect();
  const all: ComparedRetrieval[] = [];
  const skipped: ReplayedWindow['skipped'][number][] = [];
  let cursor: string | undefined;
  do {
    const limit = Math.min(PAGE, last - all.length - skipped.length);
    const page = await retrievals.replayMany({ after, before, limit, cursor, ...(against ? { against } : {}) }, { signal });
    all.push(...page.retrievals);
    skipped.push(...page.skipped);
    cursor = page.next;
  } while (cursor !== undefined && all.length + skipped.length < last);
  const found = { retrievals: all.sort((a, b) => a.rbo - b.rbo), skipped };
  output.result(found, () => print(output, found));
  return all.every(({ identical }) => identical) ? EXIT.ok : EXIT.someFailed;
};

const print = (output: Output, { retrievals, skipped }: Found): void => {
  const { dim } = output.colors;
  if (retrievals.length > 0)
    output.table(
      ['trace id', 'searched at', 'identical', 'gained', 'lost', 'moved', 'agreement'],
      retrievals.map(({ traceId, retrievedAt, identical, gained, lost, moved, rbo }) => [
        ...[traceId, retrievedAt, identical ? 'yes' : 'no', gained, lost, moved, rbo.toFixed(2)],
      ]),
    );
  const changed = retrievals.filter(({ gained, lost, moved }) => gained + lost + moved > 0).length;
  output.line(dim(`${retrievals.length} replayed, ${changed} of them with other results on the other side`));
  for (const [reason, text] of Object.entries(BECAUSE)) {
    const count = skipped.filter((one) => one.reason === reason).length;
    if (count > 0) output.note(`${count} skipped: ${text}`);
  }
};

const BECAUSE: Readonly<Record<ReplayedWindow['skipped'][number]['reason'], string>> = {
  query: 'their queries are not recorded (`palimpsest tenants limits` says how to allow it)',
  model: 'they search by vectors only, and their model is not configured here',
  erased: 'the key of their scope was destroyed',
  old: 'a version before 0.2 recorded them',
};
