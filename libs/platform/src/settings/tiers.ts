import { readFileSync } from 'node:fs';
import { parseInput, tiersFile } from '@palimpsest/contracts';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { NO_TIERS, type Tiers } from '@palimpsest/knowledge/limits';

const SETTING = 'PALIMPSEST_TIERS';

/** Reads the tiers from a file; without a file, there are none. @throws InvalidValue naming the invalid field */
export const readTiers = (file: string | undefined): Tiers => {
  if (file === undefined) return NO_TIERS;
  return parseInput(tiersFile, jsonOf(file), SETTING);
};

const jsonOf = (file: string): unknown => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new InvalidValue(SETTING, 'a file that can be read', `${file} (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new InvalidValue(SETTING, 'a JSON file', `${file} (${(error as Error).message})`);
  }
};
