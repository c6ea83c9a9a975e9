import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '@palimpsest/foundation';

/** A hidden name next to `target` that contains the id of the writing process. */
export const partialName = (target: string): string => join(dirname(target), `.${basename(target)}.${process.pid}.partial`);

/** Removes the partial files of processes that were killed while they wrote `target`. */
export const removeLeftovers = async (target: string): Promise<void> => {
  const folder = dirname(target);
  const [prefix, suffix] = [`.${basename(target)}.`, '.partial'];
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith(suffix)) continue;
    const pid = Number(name.slice(prefix.length, -suffix.length));
    if (Number.isInteger(pid) && pid > 0 && pid !== process.pid && !isAlive(pid))
      await rm(join(folder, name), { recursive: true, force: true });
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
};
