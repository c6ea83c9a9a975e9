import type { RecordedEvent, StreamName } from '@palimpsest/knowledge/ports';
import type { Position } from '@palimpsest/knowledge/values';
import type { CheckpointEntry } from './checkpoint-entries.ts';

/** What was done to a record of the log. `stream`: unknown for a record that is missing. */
export type LogFinding = Readonly<{
  kind: 'changed' | 'removed' | 'inserted' | 'reordered';
  position: Position;
  stream?: StreamName;
  message: string;
}>;

/** `content`: its `recordDigest`. */
export type FoundRecord = Readonly<{ record: RecordedEvent; content: Buffer }>;

/** How records leave the log. */
type Removals = Readonly<{ firstRevision: (stream: StreamName) => Promise<number>; isVacuumed: (at: Position) => Promise<boolean> }>;

/**
 * Compares the records that are on the log with those that were signed, both in the order of the log. `firstRevision`: of a stream with an
 * age limit, the first one that is still there. `isVacuumed`: whether a record on the log says that the one at this position was removed.
 */
export const compareRecords = async (
  signed: readonly CheckpointEntry[],
  found: readonly FoundRecord[],
  { firstRevision, isVacuumed }: Removals,
): Promise<Readonly<{ matched: number; expired: number; vacuumed: number; findings: readonly LogFinding[] }>> => {
  const known = new Set(signed.map(({ content }) => content.toString('hex')));
  const findings: LogFinding[] = [];
  let [matched, expired, vacuumed, next] = [0, 0, 0, 0];
  const insertedBefore = (end: Position | undefined): void => {
    for (let at = found[next]; at && (end === undefined || at.record.position < end); at = found[++next])
      findings.push(findingOf('inserted', at.record));
  };
  for (const entry of signed) {
    insertedBefore(entry.position);
    const at = found[next];
    if (at?.record.position !== entry.position) {
      const { expires } = entry;
      if (expires && expires.revision < (await firstRevision(expires.stream))) expired += 1;
      else if (await isVacuumed(entry.position)) vacuumed += 1;
      else findings.push({ kind: 'removed', position: entry.position, message: `the record at position ${entry.position} was removed` });
      continue;
    }
    next += 1;
    if (at.content.equals(entry.content)) matched += 1;
    else findings.push(findingOf(known.has(at.content.toString('hex')) ? 'reordered' : 'changed', at.record));
  }
  insertedBefore(undefined);
  return { matched, expired, vacuumed, findings };
};

const findingOf = (kind: 'changed' | 'inserted' | 'reordered', { position, stream, type }: RecordedEvent): LogFinding => ({
  kind,
  position,
  stream,
  message: `the record at position ${position} (${type} in ${stream}) was ${kind}`,
});
