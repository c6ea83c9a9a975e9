import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/*
 * `node bundle-engine.ts <folder>` bundles the compiled engine and each of its threads into one file each. Most of a start is spent
 * loading modules, and the engine needs only a small part of most packages. It is a separate process because the native part of the
 * bundler rejects arrays from the realm of a Jest test.
 */

/** Packages that the engine does not need. Their exports, also decorators, do nothing. Of Nest it needs what the buses use. */
const LEFT_OUT =
  /^(?:@nestjs\/(?!common|core|cqrs)|@fastify\/|@opentelemetry\/)|^(?:fastify|pino|openai|prom-client|ioredis)$|^gpt-tokenizer/;
/** Routes of features: the engine has no HTTP. */
const CONTROLLER = /-controller\.js$/;
/** Imported as it is: the buses' decorators need it before the first line of the bundle. */
const REFLECT = { id: import.meta.resolve('reflect-metadata'), external: true, moduleSideEffects: true } as const;
const NOTHING = '\0nothing.cjs';
const HOSTED = '\0hosted.js';

const ADAPTERS = new URL('../../../../../libs/adapters/', import.meta.url);
/** The files started as threads. Each is expected next to the file that starts it, which is the same folder for all of them. */
const THREADS = [
  'sqlite/dist/log/writer-worker.js',
  'sqlite/dist/log/reader-worker.js',
  'sqlite/dist/log/check-worker.js',
  'sqlite/dist/catalog/side-worker.js',
  'sqlite/dist/catalog/catalog-worker.js',
  'sqlite/dist/bus/bus-worker.js',
  'bm25/dist/analysis/analysis-worker.js',
];
const STARTS_A_THREAD = /new URL\(.*(?:-worker|thread-host)|workerScript/;
const OF_AN_ADAPTER = /[\\/]libs[\\/]adapters[\\/](?:sqlite|bm25)[\\/]/;
const SHARED_THREAD = fileURLToPath(new URL('./shared-thread.ts', import.meta.url));
const importsThreads = (id: string, importer: string | undefined): boolean =>
  id === 'node:worker_threads' && importer !== undefined && OF_AN_ADAPTER.test(importer);
const EXTERNAL = ['worker_threads', '@jest/globals', 'fast-check', 'onnxruntime-node'];

const bundled = async (input: string, file: string): Promise<void> => {
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: (id, importer) => (id.startsWith('node:') && !importsThreads(id, importer)) || EXTERNAL.includes(id),
    logLevel: 'silent',
    treeshake: { moduleSideEffects: !input.endsWith('engine.ts') },
    plugins: [
      {
        name: 'left out',
        resolveId: (id) => (id === 'reflect-metadata' ? REFLECT : LEFT_OUT.test(id) || CONTROLLER.test(id) ? NOTHING : null),
        load: (id) =>
          id === NOTHING
            ? 'function none() { return none; } module.exports = Object.setPrototypeOf(none, new Proxy({}, { get: () => none }));'
            : null,
      },
      {
        name: 'shared thread: starting a thread adds it to the host thread, and a thread script takes its port from the host',
        resolveId: (id, importer) => (!importsThreads(id, importer) ? null : input.endsWith('-worker.js') ? HOSTED : SHARED_THREAD),
        load: (id) =>
          id === HOSTED
            ? "import * as threads from 'worker_threads'; const at = globalThis.hosted ?? threads; export const parentPort = at.port ?? at.parentPort; export const workerData = at.workerData; export const receiveMessageOnPort = threads.receiveMessageOnPort;"
            : null,
      },
      {
        name: 'import.meta.url keeps the original address, except where a thread is started',
        transform: (code, id) =>
          /[\\/]node_modules[\\/]/.test(id) || !code.includes('import.meta.url') || STARTS_A_THREAD.test(code)
            ? null
            : code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
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
