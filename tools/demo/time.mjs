/**
 * What a platform knows about its past, on a platform of its own and without a network, in about half a minute:
 *
 *   npm run demo:time [-- --keep]
 *
 * A search of last week is replayed after a document and the model have changed, the past is searched, a person is erased, and the erasure
 * is proved. Ends with exit code 1 if anything was not as it is said. `--keep` keeps the folder.
 */
import { rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PalimpsestClient } from '@palimpsest/client';
import { PlatformProcess } from '../bench/lib/platform-process.mjs';
import { inRoot } from '../setup/workspace.mjs';
import { change } from './time/change.mjs';
import { LETTERS, RULES } from './time/contents.mjs';
import { erase, prove } from './time/erase.mjs';
import { lastWeek } from './time/last-week.mjs';
import { lookBack, replay } from './time/look-back.mjs';
import { Story } from './time/story.mjs';

const { values: options } = parseArgs({ options: { keep: { type: 'boolean', default: false } } });

const writeFiles = async (work) => {
  for (const [folder, files] of Object.entries({ company: RULES, letters: LETTERS })) {
    await mkdir(join(work, folder));
    for (const [name, text] of Object.entries(files)) await writeFile(join(work, folder, name), text);
  }
  await cp(inRoot('docs', 'how-to'), join(work, 'manuals'), { recursive: true });
};

const play = async (work) => {
  const data = join(work, 'data');
  await writeFiles(work);
  const platform = await PlatformProcess.start(data);
  const { url, apiKey } = platform;
  console.log(`a platform of its own listens on ${url}; its data folder is ${data}`);
  const story = new Story(work, { ...process.env, PALIMPSEST_URL: url, PALIMPSEST_API_KEY: apiKey });
  let isRunning = true;
  const stop = async () => {
    if (isRunning) await platform.stop();
    isRunning = false;
  };
  try {
    const traceId = await lastWeek(story, data);
    await change(story, work, data);
    await lookBack(story, await replay(story, traceId));
    await erase(story, traceId);
    const { publicKey } = await new PalimpsestClient({ url, apiKey }).operations.signingKey();
    await stop();
    await prove(story, data, publicKey);
  } catch (error) {
    story.breakOff(error);
  } finally {
    await stop();
  }
  story.end();
  if (story.failures.length > 0) process.exitCode = 1;
};

const work = await mkdtemp(join(tmpdir(), 'palimpsest-demo-'));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
process.once('exit', () => {
  if (options.keep) console.log(`kept: ${work}`);
  else rmSync(work, { recursive: true, force: true, maxRetries: 5 });
});
await play(work);
