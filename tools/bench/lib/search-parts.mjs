import { setTimeout as sleep } from 'node:timers/promises';
import { BareExchange } from './bare-exchange.mjs';
import { queriesFrom, syntheticDocuments } from './corpus.mjs';
import { median, p50p95, quantile, timed } from './figures.mjs';
import { bareSearch, openPorts } from './ports.mjs';

/** The parts of `platform.mjs` that measure requests; each prints its figures with their baseline. */

const STRATEGIES = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'];
const say = (line) => console.log(line);

/**
 * The same queries, alternating: over HTTP, on the ports (a copy of the same data, in this process), and over HTTP to a server that
 * only answers: the minimum cost of HTTP.
 */
export const searches = async (platform, data, settings, documents, count) => {
  const ports = await openPorts(data, settings);
  const exchange = await BareExchange.open();
  // Queries are not repeated for another strategy: they would come from the embedding cache.
  const all = queriesFrom(documents, (count + 10) * STRATEGIES.length);
  for (const strategy of STRATEGIES) {
    const http = [];
    const bare = [];
    const exchanged = [];
    const parts = {};
    let hits = 0;
    for (const [i, query] of all.splice(0, count + 10).entries()) {
      const { result, ms } = await timed(() => platform.ask('POST', '/v1/search', { query, strategy }));
      const direct = await bareSearch(ports, query, strategy);
      await exchange.answersWith(result);
      await bareSearch(ports, `${query} again`, strategy); // with the same pause as before the request to the platform
      const plain = await timed(() => exchange.ask({ query, strategy }));
      if (i < 10) continue;
      exchanged.push(plain.ms);
      hits += result.hits.length;
      http.push(ms);
      bare.push(direct.ms);
      for (const [name, part] of Object.entries(direct.parts)) (parts[name] ??= []).push(part);
      for (const stage of result.timings.stages) (parts[`platform's ${stage.stage}`] ??= []).push(stage.ms);
    }
    if (hits < http.length) throw new Error(`${http.length} searches found ${hits} chunks: something is wrong`);
    say(`${strategy}: HTTP ${p50p95(http)}; bare parts ${p50p95(bare)}`);
    say(
      `  HTTP / bare parts: ${(median(http) / median(bare)).toFixed(2)} at p50, ${(quantile(http, 0.95) / quantile(bare, 0.95)).toFixed(2)} at p95`,
    );
    const together = median(bare) + median(exchanged);
    say(
      `  bare exchange of the same JSON: ${p50p95(exchanged)}; HTTP / (bare parts + exchange): ${(median(http) / together).toFixed(2)} at p50`,
    );
    say(
      `  p50 of each: ${Object.entries(parts)
        .map(([name, ms]) => `${name} ${median(ms).toFixed(2)}`)
        .join(', ')}`,
    );
  }
  exchange.close();
  await ports.close();
};

/** In each round while idle, and at most this many during ingestion: the p99 of a few hundred would depend on two or three searches. */
const SEARCHES = 500;
const FIRST = 50;

/**
 * Spaced searches, in each round first idle and then while `more` documents are ingested; the searches of all rounds are combined. No query
 * is repeated, otherwise its vector would be cached. `more`: one list of documents per round.
 */
export const searchesWhileIngesting = async (platform, documents, more) => {
  const queries = queriesFrom(documents, FIRST + 3 * SEARCHES * more.length, 11);
  const search = async (query) => {
    const { ms } = await timed(() => platform.ask('POST', '/v1/search', { query }));
    await sleep(10);
    return ms;
  };
  for (const query of queries.splice(0, FIRST)) await search(query); // directly after a start, no code is compiled yet
  const quiet = [];
  const busy = [];
  for (const some of more) {
    for (const query of queries.splice(0, SEARCHES)) quiet.push(await search(query));
    const { indexed, failed } = (await platform.ask('GET', '/v1/status')).documents;
    let over = false;
    const ingesting = platform
      .submit(some)
      .then(() => platform.settled(indexed + failed + some.length))
      .finally(() => (over = true));
    for (const query of queries.splice(0, 2 * SEARCHES)) {
      if (over) break;
      busy.push(await search(query));
    }
    await ingesting;
  }
  const of = (ms) => [0.5, 0.95, 0.99].map((q) => `p${100 * q} ${quantile(ms, q).toFixed(1)} ms`).join(', ');
  const ratio = (q) => (quantile(busy, q) / quantile(quiet, q)).toFixed(2);
  say(
    `hybrid search: idle ${of(quiet)} (${quiet.length} searches); while ${more.length} × ${more[0].length} documents stream in ${of(busy)} (${busy.length})`,
  );
  say(`  busy / quiet: ${[0.5, 0.95, 0.99].map((q) => `${ratio(q)} at p${100 * q}`).join(', ')}`);
};

/** One small document at a time, on an idle platform; a delete returns when it was appended and projected. */
export const lags = async (platform, count) => {
  const searchable = [];
  const submitted = [];
  const deleted = [];
  for (const [i, { text }] of syntheticDocuments(count, { sections: 1, seed: 99 }).entries()) {
    const word = `lagword${i}x${process.pid}`;
    const began = performance.now();
    const {
      documents: [document],
    } = await platform.ask('POST', '/v1/documents', { sourceId: `lag/${word}`, text: `${text}\n${word}\n` });
    submitted.push(performance.now() - began);
    for (let found = 0; found === 0;)
      found = (await platform.ask('POST', '/v1/search', { query: word, strategy: 'SparseOnly' })).hits.filter(({ text: hit }) =>
        hit.includes(word),
      ).length;
    searchable.push(performance.now() - began);
    deleted.push((await timed(() => platform.ask('DELETE', `/v1/documents/${document.documentId}`))).ms);
  }
  const baseline = await timed(async () => {
    for (let i = 0; i < 20; i++) await platform.ask('GET', '/v1/knowledge-bases');
  });
  say(
    `one small document: searchable after ${p50p95(searchable)}; accepted after ${p50p95(submitted)}; deleted (appended and projected) after ${p50p95(deleted)}`,
  );
  say(
    `  searchable / accepted: ${(median(searchable) / median(submitted)).toFixed(1)}; a plain read over HTTP takes ${(baseline.ms / 20).toFixed(1)} ms`,
  );
};
