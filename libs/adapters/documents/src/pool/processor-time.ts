import { readFileSync } from 'node:fs';

/** Clock ticks per second on every Linux that Node supports. */
const TICKS = 100;

/** CPU time of a process, milliseconds; undefined if `/proc` is missing or the process is gone. */
export function processorTime(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain blanks, so fields are counted from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
  } catch {
    return undefined;
  }
}
