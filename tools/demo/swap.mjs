/**
 * A swap of the embedding model under live queries, on a platform of its own with the documentation of this repository. About two
 * minutes on two cores:
 *
 *   npm run demo:swap [-- --model <folder of an ONNX model>] [--report <file>]
 *
 * First a planted bad model (the built-in one, pooled in the wrong way), which the gate must stop; then the new model, which the gate
 * may pass; then a roll back, and the new model again. Queries run all the time, and each answer must come from one model.
 * The new model is bge-small-en-v1.5: if it is not in `models/`, it is downloaded with Maven.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { PalimpsestClient } from '@palimpsest/client';
import { evaluationReport } from '../../apps/cli/dist/evaluation/evaluation-report.js';
import { PlatformProcess } from '../bench/lib/platform-process.mjs';
import { bgeSmall, BUILT_IN, copied, withWrongPooling } from './models.mjs';
import { documentation } from './documentation.mjs';
import { QueryLoad } from './query-load.mjs';

const SCOPE = 'deployment';
const POLL_MS = 500;

const { values: options } = parseArgs({ options: { model: { type: 'string' }, report: { type: 'string', default: 'swap-report.html' } } });

const began = performance.now();
const say = (text) => console.log(`${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s  ${text}`);

const versionsOf = ({ generations }) =>
  generations.map(({ generation, status, embeddingVersion }) => `${generation} ${status} ${embeddingVersion}`).join(', ');

/** Waits until the swap was cut over, or waits for a person. */
const decided = async (client) => {
  for (let last = ''; ;) {
    const { state, swap, generations, evaluation } = await client.swaps.get(SCOPE);
    const progress = `${state}, ${swap?.chunks ?? 0} of ${swap?.total ?? 0} chunks`;
    if (progress !== last) say(progress);
    last = progress;
    if (state === 'paused') throw new Error(`the swap is paused: ${swap?.paused?.reason}`);
    if (state === 'idle' || (state === 'ready' && evaluation?.generation === swap?.generation)) return { state, generations, evaluation };
    await sleep(POLL_MS);
  }
};

const swapTo = async (client, embeddingVersion) => {
  await client.swaps.start(SCOPE, { embeddingVersion, cutover: 'gate' });
  const { state, evaluation } = await decided(client);
  say(`verdict: ${evaluation.verdict}. ${evaluation.reasons[0] ?? ''}`);
  return { passed: state === 'idle', evaluation };
};

const run = async (work) => {
  const newModel = options.model === undefined ? await bgeSmall(say) : resolve(options.model);
  const badModel = await withWrongPooling(BUILT_IN, join(work, 'data', 'models', 'bad-model'));
  const copy = await copied(newModel, join(work, 'data', 'models', 'new-model'));
  const platform = await PlatformProcess.start(join(work, 'data'));
  const client = new PalimpsestClient({ url: platform.url, apiKey: platform.apiKey });
  const load = new QueryLoad(client);
  try {
    const documents = await documentation();
    await client.documents.upload(documents.map(({ name, text }) => ({ name, content: Buffer.from(text) })));
    await client.waitForAll();
    say(`${documents.length} documents of this repository are indexed with ${versionsOf(await client.swaps.get(SCOPE))}`);
    await load.start(documents);

    const bad = await client.models.add({ onnx: badModel });
    say(`a planted bad model: ${bad.version}, pooled in the wrong way`);
    const stopped = await swapTo(client, bad.version);
    if (stopped.passed) throw new Error('the gate passed the planted bad model');
    say('the gate stopped it; queries were always answered with the old model');
    await client.swaps.cancel(SCOPE);

    const good = await client.models.add({ onnx: copy });
    say(`the new model: ${good.version}`);
    const { passed, evaluation } = await swapTo(client, good.version);
    if (!passed) {
      say('the gate did not pass it without a person; a person decides now');
      await client.swaps.cutOver(SCOPE, evaluation.verdict === 'worse' ? 'shown in the demo' : undefined);
    }
    say(`cut over: ${versionsOf(await client.swaps.get(SCOPE))}`);
    await sleep(3_000);
    await client.swaps.rollBack(SCOPE);
    say(`rolled back: ${versionsOf(await client.swaps.get(SCOPE))}`);
    await sleep(3_000);
    await client.swaps.cutOver(SCOPE, evaluation.verdict === 'worse' ? 'shown in the demo' : undefined);
    say(`cut over again: ${versionsOf(await client.swaps.get(SCOPE))}`);
    await sleep(3_000);
    const figures = await load.stop();
    await writeFile(options.report, evaluationReport(await client.swaps.evaluation(SCOPE)));
    report(figures);
  } finally {
    await load.stop();
    await platform.stop();
  }
};

const report = ({ answered, failed, mixed, byModel }) => {
  console.log(`\nqueries during both swaps, two cut-overs and the roll back: ${answered} answered, ${failed} failed, ${mixed} mixed`);
  console.table(byModel);
  console.log(`evaluation of the new model, with every query that got better or worse: ${resolve(options.report)}`);
  if (failed + mixed > 0) process.exitCode = 1;
};

const work = await mkdtemp(join(tmpdir(), 'palimpsest-demo-'));
try {
  await run(work);
} finally {
  await rm(work, { recursive: true, force: true });
}
