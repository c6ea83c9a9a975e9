import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { aDataFolder } from '@palimpsest/e2e-support/platform-under-test';
import { realData } from '@palimpsest/e2e-support/real-data';

/** A folder with a copy of a test set that judges every n-th query only, as `palimpsest eval` leaves out queries without judgements. */
export const withFewerQueries = async (testSet: string, n: number): Promise<string> => {
  const folder = await aDataFolder();
  await cp(join(realData('beir'), testSet), join(folder, testSet), { recursive: true });
  const file = join(folder, testSet, 'qrels', 'test.tsv.gz');
  const [header, ...judgements] = gunzipSync(await readFile(file))
    .toString()
    .trim()
    .split('\n');
  const queries = [...new Set(judgements.map(queryOf))].filter((_, index) => index % n === 0);
  const kept = judgements.filter((line) => queries.includes(queryOf(line)));
  await writeFile(file, gzipSync([header, ...kept].join('\n')));
  return folder;
};

const queryOf = (judgement: string): string => judgement.split('\t')[0] ?? '';
