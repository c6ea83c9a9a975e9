import { openBareLoop } from './bare-onnx.mjs';
import { median, timed } from './figures.mjs';
import { openedOnce, openPorts, replay } from './ports.mjs';
import { PlatformProcess } from './platform-process.mjs';

/** The parts of `platform.mjs` that fill the read models and start on them; each prints its figures with their baseline. */

const say = (line) => console.log(line);
const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;

/** One document, so that a parser process and the model are running before the measurement, as in the bare loop. */
export const warmUp = (platform) => ingest(platform, [{ name: 'warm-up.md', text: '# Warm up\n\nSo that everything is there.' }]);

/** Submits and waits: wall and CPU time (ms), chunks. */
export const ingest = async (platform, documents) => {
  const { indexed: had, failed: bad } = (await platform.ask('GET', '/v1/status')).documents;
  const before = platform.cpuMs();
  const { result: status, ms } = await timed(async () => {
    const outcomes = await platform.submit(documents);
    const refused = outcomes.find(({ status }) => status !== 'accepted');
    if (refused) throw new Error(`not accepted: ${JSON.stringify(refused)}`);
    return platform.settled(had + bad + documents.length);
  });
  const { indexed, failed } = status.documents;
  if (failed > bad) throw new Error(`${failed} documents failed`);
  return { ms, cpuMs: platform.cpuMs() - before, chunks: status.chunks, documents: indexed };
};

/** Compares ingestion with the model alone, on the same texts with the same threads. */
export const againstBareLoop = async (first, texts, threads, rounds) => {
  const loop = await openBareLoop(texts, threads);
  const samples = [];
  for (let round = 0; round < rounds; round++) {
    const cpu = process.cpuUsage();
    const { ms } = await timed(loop.run);
    const { user, system } = process.cpuUsage(cpu);
    samples.push({ ms, cpuMs: (user + system) / 1000 });
  }
  await loop.close();
  const [wall, cpu] = ['ms', 'cpuMs'].map((key) => median(samples.map((sample) => sample[key])));
  say(
    `ingested ${first.documents} documents, ${texts.length} chunks in ${seconds(first.ms)} (${((texts.length * 1000) / first.ms).toFixed(1)} chunks/s), ${seconds(first.cpuMs)} CPU`,
  );
  say(`bare ONNX loop over the same texts, ${threads} threads: ${seconds(wall)}, ${seconds(cpu)} CPU (median of ${rounds})`);
  say(`  ingestion / bare loop: ${(first.ms / wall).toFixed(2)} of the wall time, ${(first.cpuMs / cpu).toFixed(2)} of the CPU time`);
};

/** Submits the same folder again, unchanged. `embedded` returns the number of texts embedded so far, if it can be counted. */
export const ingestAgain = async (platform, documents, first, embedded) => {
  const [head, before] = [(await platform.ask('GET', '/v1/status')).log.position, await embedded?.()];
  const { result: outcomes, ms } = await timed(() => platform.submit(documents));
  const { log } = await platform.settled(documents.length);
  const skipped = outcomes.filter(({ status }) => status === 'skipped').length;
  const calls = embedded === undefined ? '' : `, texts embedded: ${(await embedded()) - before}`;
  say(
    `again, unchanged: ${seconds(ms)}, ${skipped} of ${documents.length} skipped, ${BigInt(log.position) - BigInt(head)} events written${calls}`,
  );
  say(`  again / first: ${(ms / first.ms).toFixed(4)}`);
};

/** Rebuilds of all read models, over HTTP: the first one after the start, when little code is compiled yet, and two more. */
export const rebuildOverHttp = async (platform, first, embedded) => {
  const before = await embedded?.();
  const rounds = [];
  for (let round = 0; round < 3; round++) rounds.push(await timed(() => platform.ask('POST', '/v1/admin/rebuild')));
  const calls = embedded === undefined ? '' : `, texts embedded: ${(await embedded()) - before}`;
  const { chunks } = rounds[0].result;
  say(`rebuild of all read models, three times: ${rounds.map(({ ms }) => seconds(ms)).join(', ')}, ${chunks} chunks${calls}`);
  say(`  first ingestion / rebuild: ${rounds.map(({ ms }) => (first.ms / ms).toFixed(0)).join(', ')}`);
  const checks = [];
  for (let round = 0; round < 3; round++) checks.push(await timed(() => platform.ask('POST', '/v1/admin/verify')));
  if (!checks.every(({ result }) => result.clean)) throw new Error('verify found differences');
  say(`verify, three times: ${checks.map(({ ms }) => seconds(ms)).join(', ')}`);
  say(`  verify / rebuild: ${(median(checks.map(({ ms }) => ms)) / median(rounds.map(({ ms }) => ms))).toFixed(2)}`);
};

/** A replay in this process, with and without sealing: how much of it is spent on opening seals, and how long the event loop is blocked. */
export const replayInProcess = async (data, settings, rounds, first) => {
  const ports = await openPorts(data, settings);
  const samples = { plain: [], unsealed: [], timed: [] };
  const ways = { plain: {}, unsealed: { keys: openedOnce(ports.keys) }, timed: { timeCiphers: true } };
  // Once without measuring: fills the cache of opened data, and compiles the code for each variant.
  await replay(ports, ways.unsealed);
  for (let round = 0; round < rounds; round++)
    for (const [way, options] of Object.entries(ways)) samples[way].push(await replay(ports, options));
  await ports.close();
  const of = (way, pick) => median(samples[way].map(pick));
  const { chunks, ciphers } = samples.timed[0];
  say(
    `replay in one process: ${seconds(of('plain', ({ ms }) => ms))}, ${((of('plain', ({ cpuMs }) => cpuMs) * 1000) / chunks).toFixed(0)} µs CPU per chunk (median of ${rounds})`,
  );
  const [sealed, unsealed] = ['plain', 'unsealed'].map((way) => of(way, ({ ms }) => ms));
  // More documents were added since the first ingestion.
  const alike = (first.ms / first.chunks) * chunks;
  say(
    `  first ingestion / replay: ${(alike / sealed).toFixed(0)} with sealing, ${(alike / unsealed).toFixed(0)} without (${seconds(unsealed)}, ${((of('unsealed', ({ cpuMs }) => cpuMs) * 1000) / chunks).toFixed(0)} µs CPU per chunk)`,
  );
  const spent = of('timed', ({ ciphers }) => ciphers.ms);
  say(
    `  opening seals: ${ciphers.calls} calls, ${((spent * 1000) / ciphers.calls).toFixed(1)} µs each, ${((100 * spent) / of('timed', ({ ms }) => ms)).toFixed(1)} % of the replay's time, ${((100 * spent) / of('timed', ({ cpuMs }) => cpuMs)).toFixed(1)} % of its CPU time`,
  );
  say(
    `  event loop during the replay: p99 ${of('plain', ({ loop }) => loop.p99).toFixed(1)} ms, longest ${of('plain', ({ loop }) => loop.max).toFixed(1)} ms`,
  );
};

/** Start to ready, and memory. The baseline is an empty folder. */
export const starts = async (empty, filled, settings, rounds) => {
  const samples = { empty: [], filled: [] };
  let chunks = 0;
  for (let round = 0; round < rounds; round++)
    for (const [name, folder] of [
      ['empty', empty],
      ['filled', filled],
    ]) {
      const platform = await PlatformProcess.start(folder, settings);
      await platform.ask('POST', '/v1/search', { query: 'is it ready' });
      samples[name].push({ ms: platform.readyAfterMs, ...platform.resident() });
      chunks = Math.max(chunks, (await platform.ask('GET', '/v1/status')).chunks);
      await platform.stop();
    }
  const of = (name, key) => median(samples[name].map((sample) => sample[key]));
  const mib = (name) =>
    `${(of(name, 'own') / 2 ** 20).toFixed(0)} MiB resident + ${(of(name, 'children') / 2 ** 20).toFixed(0)} MiB of parsers`;
  say(
    `start to ready: empty ${of('empty', 'ms').toFixed(0)} ms (${mib('empty')}); with ${chunks} chunks ${of('filled', 'ms').toFixed(0)} ms (${mib('filled')}), after one search`,
  );
  say(
    `  filled / empty: ${(of('filled', 'ms') / of('empty', 'ms')).toFixed(2)} of the time, ${((of('filled', 'own') - of('empty', 'own')) / chunks / 1024).toFixed(2)} KiB more per chunk`,
  );
};
