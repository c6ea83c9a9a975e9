import { readFileSync } from 'node:fs';

/** Clock ticks in a second, on every Linux that Node runs on. */
const TICKS = 100;

/** What a process has computed so far, milliseconds; undefined where `/proc` is missing or the process is gone. */
export function processorTime(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold blanks: the fields are counted from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
  } catch {
    return undefined;
  }
}
