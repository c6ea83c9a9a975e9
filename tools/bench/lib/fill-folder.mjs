import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { KnowledgeBases, ProcessDocument, SubmitDocument, DEFAULT_KNOWLEDGE_BASE } from '@palimpsest/ingestion';
import { timestamp } from '@palimpsest/foundation';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { subjectId } from '@palimpsest/knowledge/subjects';
import { DEFAULT_TENANT, recipeWith, sourceId, tenantId } from '@palimpsest/knowledge/values';
import { openDataFolder, openEmbeddedAdapters } from '@palimpsest/platform/embedded';
import { platformConfig } from '@palimpsest/platform/settings';
import { syntheticDocuments } from './corpus.mjs';
import { seededRandom } from './figures.mjs';

/** Sections of about 900 characters: 150 chunks a document. */
const SECTIONS = 200;
const CHUNKS = 150;
const AT_ONCE = 8;
const SCOPES_AT_ONCE = 8;
const ONE_DAY_MS = 86_400_000;

const fail = (error) => {
  throw error;
};

const quarters = (text) => text.split(/\s+/).reduce((sum, word) => sum + Math.ceil(word.length / 4), 0);

/** Counted random unit vectors, and a parser for plain text. */
const standIns = (version) => {
  const random = seededRandom(9);
  const made = { chunks: 0 };
  const length = 384;
  const unit = () => {
    const values = Float32Array.from({ length }, () => random() - 0.5);
    const norm = Math.hypot(...values);
    return values.map((value) => value / norm);
  };
  const provider = {
    version,
    // A token for every four characters of a word: the real counter takes longer than everything else.
    window: async () => ({ tokenizer: 'quarters', tokens: 500, count: quarters }),
    embed: async (texts) => (
      (made.chunks += texts.length),
      texts.map((text) => ({ vector: unit(), tokens: text.length >> 2, truncated: false }))
    ),
    close: async () => undefined,
  };
  const of = (asked) => (asked === version ? provider : undefined);
  const providers = { current: provider, of, versions: () => [version], recipeOf: () => recipeWith({ version }) };
  const parser = {
    parse: async ({ bytes }) => ({
      outcome: 'parsed',
      document: {
        kind: 'text',
        text: Buffer.from(bytes).toString(),
        mediaType: 'text/plain',
        language: 'en',
        headings: [],
        pages: [],
        sheets: [],
        metadata: {},
        warnings: [],
      },
    }),
  };
  return { providers, parser, made };
};

/**
 * Fills a new data folder with `chunks` chunks in `scopes` tenants, through the use cases. `personOf`: the person whom the n-th document is
 * about; `onSubmitted` gets its source and n. @returns the counts, and the time in ms
 */
export const fillFolder = async (data, settings, { chunks, scopes, personOf = () => undefined, onSubmitted = () => undefined }) => {
  const began = performance.now();
  const adapters = await openEmbeddedAdapters(platformConfig({ PALIMPSEST_DATA: data, ...settings }), await openDataFolder(data), fail);
  const { journal, readModels: runner, blobs, keys, catalog, system } = adapters.ports;
  const now = () => timestamp(system.clock);
  const { providers, parser, made } = standIns(adapters.ports.providers.current.version);
  const knowledgeBases = new KnowledgeBases(journal, providers, UNLIMITED, now);
  const languages = { of: async () => 'und' };
  const reserve = async () => ({ commit: () => undefined, release: () => undefined });
  const submit = new SubmitDocument({
    journal,
    blobs,
    keys,
    backlog: { reserve },
    knowledgeBases,
    quotaPolicy: UNLIMITED,
    maxBytes: 10_000_000,
    now,
  });
  const work = new ProcessDocument({
    journal,
    blobs,
    keys,
    parser,
    providers,
    quotaPolicy: UNLIMITED,
    languages,
    now,
    system,
    requestReembedding: async () => undefined,
  });

  const perScope = Math.ceil(chunks / scopes);
  runner.start();
  const fillScope = async (n) => {
    const tenant = n === 0 ? DEFAULT_TENANT : tenantId(`tenant-${n}`);
    const access = { tenant, teams: ['*'], user: 'bench', roles: ['admin', 'operator'], actor: 'bench' };
    const one = async ({ name, text }, i) => {
      const correlationId = `${tenant}/${i}`;
      const file = {
        knowledgeBase: DEFAULT_KNOWLEDGE_BASE,
        sourceId: sourceId(name),
        bytes: Buffer.from(text),
        mediaType: 'text/plain',
        labels: {},
        origin: 'Synthetic',
        ...(personOf(i) === undefined ? {} : { subject: subjectId(personOf(i)) }),
      };
      onSubmitted(name, i);
      const { documentId, version } = await submit.run(access, file, correlationId);
      const { scope } = await knowledgeBases.accepting(access, DEFAULT_KNOWLEDGE_BASE, correlationId);
      await work.run({ tenant, scope, documentId, version, correlationId }, new AbortController().signal);
    };
    const documents = syntheticDocuments(Math.ceil(perScope / CHUNKS), { sections: SECTIONS, seed: n + 1 });
    // The first one alone: it creates the knowledge base and the scope.
    await one(documents[0], 0);
    for (let i = 1; i < documents.length; i += AT_ONCE)
      await Promise.all(documents.slice(i, i + AT_ONCE).map((document, j) => one(document, i + j)));
  };
  for (let n = 0; n < scopes; n += SCOPES_AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(SCOPES_AT_ONCE, scopes - n) }, (_, i) => fillScope(n + i)));
    // Not far ahead of the read models: waiting events are in memory.
    await runner.reached(await journal.log.head(), ONE_DAY_MS);
    if (n % 40 === 0)
      console.error(`  ${n} of ${scopes} scopes, ${made.chunks} chunks, ${((performance.now() - began) / 1000).toFixed(0)} s`);
  }
  const recordedMs = performance.now() - began;
  await runner.reached(await journal.log.head(), ONE_DAY_MS);
  await runner.stop();
  const projected = await catalog.chunkCount();
  await adapters.close();
  return { chunks: projected, recordedMs, ms: performance.now() - began };
};

export const folderBytes = async (folder) => {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
};
