/** Compiles `kernels/search.ts` (AssemblyScript) to `dist/kernels/search.wasm`; does nothing when the output is newer than its source. */
import { mkdirSync, renameSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const source = here('./kernels/search.ts');
const target = here('./dist/kernels/search.wasm');
const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (modified(target) < Math.max(modified(source), modified(fileURLToPath(import.meta.url)))) {
  mkdirSync(here('./dist/kernels'), { recursive: true });
  // Compiled to a temporary file and renamed, so that a concurrent test never reads an incomplete file.
  const fresh = `${target}.${process.pid}`;
  const { error, stderr } = await asc.main([
    source,
    '--outFile',
    fresh,
    '--runtime',
    'minimal',
    '--enable',
    'simd,bulk-memory',
    '-O3',
    '--noAssert',
    '--use',
    'abort=',
  ]);
  if (error) throw new Error(`kernels/search.ts does not compile: ${stderr}`, { cause: error });
  renameSync(fresh, target);
}
