import { readFileSync } from 'node:fs';

/**
 * Resident memory of a process in bytes; undefined if `/proc` is missing or the process is gone. On systems other than Linux only the
 * guard thread inside the parser process watches its memory.
 */
export function residentMemory(pid: number): number | undefined {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}
