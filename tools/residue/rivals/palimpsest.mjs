/**
 * The procedure of `main.py` on our own data folder: 200 documents, 100 deleted, then the scope erased. After `npm run build`:
 *
 *   node tools/residue/rivals/palimpsest.mjs
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { searchFolder, textProbes, vectorProbes } from '@palimpsest/foundation';
import { PlatformProcess } from '../../bench/lib/platform-process.mjs';

const DOCUMENTS = 200;
const DIMENSIONS = 384;
const SCOPE = 'deployment';
const PURGE_MINUTES = 0.05;

const letters = (name, count) =>
  [...createHash('sha512').update(name).digest()]
    .slice(0, count)
    .map((byte) => 'bcdfghjklmnpqrstvwxz'[byte % 20])
    .join('');
const documents = Array.from({ length: DOCUMENTS }, (_, n) => {
  const [word, title] = [letters(`word ${n}`, 12), `About ${letters(`title ${n}`, 12)}`];
  const sentence = `The harbour master wrote ${word} into the log.`;
  return { name: `entry-${n}`, word, title, sentence, text: `Entry ${n} of the archive. ${sentence} No one read it.` };
});

/** Of length 1, so that the platform stores exactly these numbers. */
const vectorOf = (text) => {
  const bytes = Buffer.concat(Array.from({ length: DIMENSIONS / 16 }, (_, n) => createHash('sha256').update(`${n} ${text}`).digest()));
  const values = Float64Array.from({ length: DIMENSIONS }, (_, n) => bytes.readInt16LE(2 * n) || 1);
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
};

/** Vectors by text, as they were sent to the platform. */
const sent = new Map();
const model = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const { input } = JSON.parse(Buffer.concat(parts).toString());
  const data = input.map((text, index) => {
    sent.set(text, vectorOf(text));
    return { object: 'embedding', index, embedding: Buffer.from(vectorOf(text).buffer).toString('base64') };
  });
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ object: 'list', model: 'vectors', data, usage: { prompt_tokens: 1, total_tokens: 1 } }));
});

const secretsOf = (some) => {
  const vectors = [...sent].filter(([text]) => some.some(({ word }) => text.includes(word)));
  return {
    words: some.flatMap(({ word }) => textProbes(word, word)),
    sentences: some.flatMap(({ sentence }) => textProbes(sentence, sentence)),
    titles: some.flatMap(({ title }) => textProbes(title, title)),
    vectors: vectors.flatMap(([text, vector]) => vectorProbes(text, vector)),
  };
};

const data = await mkdtemp(join(tmpdir(), 'residue-'));
const report = async (stage, some) => {
  const counts = [];
  const files = new Set();
  for (const [kind, probes] of Object.entries(secretsOf(some))) {
    const { found } = await searchFolder(data, probes);
    counts.push(`${found.size} ${kind}`);
    for (const path of [...found.values()].flat()) files.add(path);
  }
  console.log(`Palimpsest | ${stage} | ${counts.join(', ')} of ${some.length} | ${[...files].slice(0, 4).join(' ')}`);
};

try {
  await new Promise((resolve) => model.listen(0, '127.0.0.1', resolve));
  const platform = await PlatformProcess.start(data, {
    PALIMPSEST_OPENAI_MODEL: 'vectors',
    PALIMPSEST_OPENAI_BASE_URL: `http://127.0.0.1:${model.address().port}/v1`,
    PALIMPSEST_OPENAI_DIMENSIONS: String(DIMENSIONS),
    PALIMPSEST_OPENAI_API_KEY: 'none',
    PALIMPSEST_PURGE_MINUTES: String(PURGE_MINUTES),
  });
  const ids = [];
  for (const { name, title, text } of documents) {
    const { documents: submitted } = await platform.ask('POST', '/v1/documents', { sourceId: name, title, text });
    ids.push(submitted[0].documentId);
  }
  await platform.settled(DOCUMENTS);
  const deleted = documents.filter((_, n) => n % 2 === 0);
  await report('before', deleted);
  for (const [n, id] of ids.entries()) if (n % 2 === 0) await platform.ask('DELETE', `/v1/documents/${id}`);
  await report('after DELETE /v1/documents', deleted);
  await sleep(3 * PURGE_MINUTES * 60_000);
  await report('after the purge (PALIMPSEST_PURGE_MINUTES, 15 by default)', deleted);
  await platform.ask('POST', `/v1/scopes/${SCOPE}/erasure`, { confirm: SCOPE });
  while ((await platform.ask('GET', `/v1/scopes/${SCOPE}/erasure`)).state !== 'completed') await sleep(100);
  await report('after the erasure of the scope: all documents', documents);
  const { residueScan } = await platform.ask('GET', `/v1/scopes/${SCOPE}/erasure/receipt`);
  console.log(`its receipt says: ${JSON.stringify(residueScan)}`);
  await platform.stop('SIGTERM');
} finally {
  model.close();
  await rm(data, { recursive: true, force: true });
}
