import type { ReplayedSearches, ReplayWindowRequest } from '@palimpsest/client';
import { EXIT } from '../failure.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';

export type LastOptions = Readonly<{ last: number; after?: string; before?: string; kb?: string; scope?: string }>;

/** Replays the last searches and compares each. Exits with 1 if one of them is not identical. */
export const replayLast = async (
  { output, signal, connect }: Session,
  { last, after, before, kb, scope }: LastOptions,
  against: NonNullable<ReplayWindowRequest['against']>,
): Promise<number> => {
  const bar = output.progress('searches', last);
  const found = await connect()
    .retrievals.replayWindow(
      { after, before, scope, knowledgeBase: kb, against, max: last },
      { signal, onPage: ({ retrievals, skipped }) => bar.update(retrievals.length + skipped.length) },
    )
    .finally(() => bar.stop());
  output.result(found, () => print(output, found));
  return found.summary.identical === found.summary.replayed ? EXIT.ok : EXIT.someFailed;
};

const print = (output: Output, { summary, retrievals }: ReplayedSearches): void => {
  const { dim } = output.colors;
  if (retrievals.length > 0)
    output.table(
      ['trace id', 'searched at', 'identical', 'gained', 'lost', 'moved', 'agreement'],
      retrievals.map(({ traceId, retrievedAt, identical, gained, lost, moved, rbo }) => [
        ...[traceId, retrievedAt, identical ? 'yes' : 'no', gained, lost, moved, rbo.toFixed(2)],
      ]),
    );
  const { replayed, changed, gained, lost, moved, overlap, rbo, causes, skipped } = summary;
  output.line(dim(`${replayed} replayed, ${changed} of them with other results on the other side`));
  if (overlap !== undefined && rbo !== undefined)
    output.line(`${gained} gained, ${lost} lost, ${moved} moved; mean overlap ${overlap.toFixed(3)}, RBO ${rbo.toFixed(3)}`);
  if (causes.length > 0) output.line(`causes: ${causes.map(({ kind, changes }) => `${changes} ${kind}`).join(', ')}`);
  if (retrievals.some(({ truncated }) => truncated))
    output.note('so much happened in between that not all of it was read: causes may be missing');
  for (const { reason, count } of skipped) output.note(`${count} skipped: ${BECAUSE[reason]}`);
};

const BECAUSE: Readonly<Record<ReplayedSearches['skipped'][number]['reason'], string>> = {
  query: 'their queries are not recorded (`palimpsest tenants limits` says how to allow it)',
  refused: 'a model of the comparison does not accept their texts',
  model: 'they search by vectors only, and their model is not configured here',
  erased: 'the key of their scope was destroyed',
  removed: 'the history of their moment was removed from the log',
  unreadable: 'their records do not open (`palimpsest verify-log` checks the log)',
  old: 'a version before 0.2 recorded them',
};
