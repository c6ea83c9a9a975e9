import { queriesFrom } from './corpus.mjs';
import { openClient } from './distributed-setup.mjs';
import { median, p50p95, quantile, timed } from './figures.mjs';
import { cpuMs } from './processes.mjs';
import { startGateway } from '../../distributed/gateway.mjs';

/** Searches over the same documents: embedded, one replica, two replicas behind a gateway, one replica without it. */

const WARM_UP = 10;
const AT_ONCE = 4;

const search = (client, query) => client.ask('POST', '/v1/search', { query });

/** Searches per second of `AT_ONCE` callers. */
const rate = async (client, queries) => {
  const left = queries.values();
  const caller = async () => {
    for (const query of left) await search(client, query);
  };
  const { ms } = await timed(() => Promise.all(Array.from({ length: AT_ONCE }, caller)));
  return (queries.length * 1000) / ms;
};

export const searches = async (embedded, services, documents, count) => {
  const one = await startGateway((service) => services.replicasOf(service).slice(0, 1));
  const clients = {
    embedded: embedded.client,
    '1 replica': openClient(one.url, services.key),
    '2 replicas': services.client,
    'no gateway': openClient(services.replicasOf('query')[0], services.key),
  };
  const sides = Object.keys(clients);
  const ms = Object.fromEntries(sides.map((side) => [side, []]));
  const stages = {};
  let different = 0;
  // Different queries for each side: a replica caches the embeddings of earlier queries.
  const queries = queriesFrom(documents, (count + WARM_UP) * sides.length);
  for (let i = 0; i < count + WARM_UP; i++) {
    const order = i % 2 === 0 ? sides : sides.toReversed();
    for (const [n, side] of order.entries()) {
      const query = queries[i * sides.length + n];
      const { result, ms: took } = await timed(() => search(clients[side], query));
      if (result.hits.length === 0) throw new Error(`nothing found for "${query}" on ${side}`);
      if (i < WARM_UP) continue;
      ms[side].push(took);
      for (const { stage, ms: part } of result.timings.stages) ((stages[side] ??= {})[stage] ??= []).push(part);
    }
  }
  // Not timed: compares the results of both platforms.
  for (const query of queries.slice(0, count)) {
    const [ours, theirs] = await Promise.all([embedded.client, services.client].map((client) => search(client, query)));
    const texts = ({ hits }) => JSON.stringify(hits.map(({ text }) => text));
    if (texts(ours) !== texts(theirs)) different++;
  }
  const ratio = (side, q) => (quantile(ms[side], q) / quantile(ms.embedded, q)).toFixed(2);
  for (const side of sides)
    console.log(
      `  ${side.padEnd(12)} ${p50p95(ms[side])}; / embedded ${ratio(side, 0.5)} at p50, ${ratio(side, 0.95)} at p95; p50 of each stage: ${Object.entries(
        stages[side],
      )
        .map(([stage, parts]) => `${stage} ${median(parts).toFixed(1)}`)
        .join(', ')}`,
    );
  const rates = Object.fromEntries(sides.map((side) => [side, []]));
  const spent = Object.fromEntries(sides.map((side) => [side, 0]));
  /** CPU time of the processes that answer, without Qdrant's. */
  const cpuOf = (side) =>
    side === 'embedded'
      ? embedded.cpuMs()
      : services.slots.reduce((sum, { service, child }) => sum + (service === 'query' ? cpuMs(child.pid) : 0), 0);
  const rounds = 4;
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const before = cpuOf(side);
      rates[side].push(await rate(clients[side], queries.slice(0, count)));
      spent[side] += cpuOf(side) - before;
    }
  console.log(`  CPU a search: ${sides.map((side) => `${side} ${(spent[side] / rounds / count).toFixed(1)} ms`).join(', ')}`);
  console.log(
    `  ${AT_ONCE} callers: ${sides.map((side) => `${side} ${median(rates[side]).toFixed(0)}/s`).join(', ')} (median of ${rounds}; queries already cached)`,
  );
  console.log(`  result lists that differ from the embedded platform's: ${different} of ${count}`);
  await one.close();
};
