import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/*
 * `node bundle-engine.ts <file>`: the engine in one file, from what was built. Most of a start is the reading of modules, and of
 * most packages the engine needs little. A process of its own: the bundler's native part does not know the arrays of a test's realm.
 */

/** Packages that have no part in what the engine does; what of them decorates, decorates nothing. */
const LEFT_OUT = /^(?:@nestjs|@fastify|@opentelemetry)\/|^(?:fastify|pino|openai|prom-client)$|^gpt-tokenizer/;
const NOTHING = '\0nothing.cjs';

const [file = ''] = process.argv.slice(2);
const bundle = await rolldown({
  input: fileURLToPath(new URL('./engine.ts', import.meta.url)),
  platform: 'node',
  external: [/^node:/, '@jest/globals', 'fast-check', 'onnxruntime-node'],
  logLevel: 'silent',
  treeshake: { moduleSideEffects: false },
  plugins: [
    {
      name: 'left out',
      resolveId: (id) => (LEFT_OUT.test(id) ? NOTHING : null),
      load: (id) => (id === NOTHING ? 'function none() { return none; } module.exports = Object.setPrototypeOf(none, new Proxy({}, { get: () => none }));' : null),
    },
    {
      name: 'workers run from their own files: what asks where it lies is told where it lay',
      transform: (code, id) => (/[\\/]node_modules[\\/]/.test(id) || !code.includes('import.meta.url') ? null : code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))),
    },
  ],
});
await bundle.write({ file, format: 'esm', codeSplitting: false });
await bundle.close();
