import { UsageError } from './failure.ts';

/** @throws UsageError naming the file */
export const readJson = (text: string, file: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is no JSON`);
  }
};
