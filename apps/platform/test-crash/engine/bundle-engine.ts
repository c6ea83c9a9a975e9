import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/*
 * `node bundle-engine.ts <folder>`: the engine, and each of its threads, in one file each, from what was built. Most of a start is
 * the reading of modules, and of most packages the engine needs little. A process of its own: the bundler's native part does not
 * know the arrays of a test's realm.
 */

/** Packages that have no part in what the engine does; what of them decorates, decorates nothing. */
const LEFT_OUT = /^(?:@nestjs|@fastify|@opentelemetry)\/|^(?:fastify|pino|openai|prom-client|ioredis)$|^gpt-tokenizer/;
const NOTHING = '\0nothing.cjs';
const BOARDED = '\0boarded.js';

const ADAPTERS = new URL('../../../../libs/adapters/', import.meta.url);
/** What is started as a thread, looked for beside the file of whoever starts it: that is one folder for all. */
const THREADS = ['sqlite/dist/log/writer-worker.js', 'sqlite/dist/log/reader-worker.js', 'sqlite/dist/log/check-worker.js', 'sqlite/dist/catalog/side-worker.js', 'sqlite/dist/catalog/catalog-worker.js', 'sqlite/dist/bus/bus-worker.js', 'bm25/dist/analysis/analysis-worker.js'];
const STARTS_A_THREAD = /new URL\(.*(?:-worker|thread-host)|workerScript/;
const OF_AN_ADAPTER = /[\\/]libs[\\/]adapters[\\/](?:sqlite|bm25)[\\/]/;
const SHARED_THREAD = fileURLToPath(new URL('./shared-thread.ts', import.meta.url));
const asksForThreads = (id: string, importer: string | undefined): boolean => id === 'node:worker_threads' && importer !== undefined && OF_AN_ADAPTER.test(importer);
const BEYOND = ['worker_threads', '@jest/globals', 'fast-check', 'onnxruntime-node'];

const bundled = async (input: string, file: string): Promise<void> => {
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: (id, importer) => (id.startsWith('node:') && !asksForThreads(id, importer)) || BEYOND.includes(id),
    logLevel: 'silent',
    treeshake: { moduleSideEffects: !input.endsWith('engine.ts') },
    plugins: [
      {
        name: 'left out',
        resolveId: (id) => (LEFT_OUT.test(id) ? NOTHING : null),
        load: (id) => (id === NOTHING ? 'function none() { return none; } module.exports = Object.setPrototypeOf(none, new Proxy({}, { get: () => none }));' : null),
      },
      {
        name: 'threads that live together: who starts one gets a part of it, and who is one finds its port where the host put it',
        resolveId: (id, importer) => (!asksForThreads(id, importer) ? null : input.endsWith('-worker.js') ? BOARDED : SHARED_THREAD),
        load: (id) =>
          id === BOARDED
            ? "import * as threads from 'worker_threads'; const at = globalThis.boarder ?? threads; export const parentPort = at.port ?? at.parentPort; export const workerData = at.workerData; export const receiveMessageOnPort = threads.receiveMessageOnPort;"
            : null,
      },
      {
        name: 'what asks where it lies is told where it lay, unless it asks for a thread',
        transform: (code, id) =>
          /[\\/]node_modules[\\/]/.test(id) || !code.includes('import.meta.url') || STARTS_A_THREAD.test(code) ? null : code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
      },
    ],
  });
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
};

const [folder = ''] = process.argv.slice(2);
await bundled(fileURLToPath(new URL('./engine.ts', import.meta.url)), `${folder}/engine.js`);
await bundled(fileURLToPath(new URL('./thread-host.ts', import.meta.url)), `${folder}/thread-host.js`);
for (const thread of THREADS) await bundled(fileURLToPath(new URL(thread, ADAPTERS)), `${folder}/${basename(thread)}`);
