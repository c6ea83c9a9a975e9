/** Compiles `kernels/search.ts` (AssemblyScript) to `dist/kernels/search.wasm`; does nothing when that is younger than its source. */
import { mkdirSync, renameSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const source = here('./kernels/search.ts');
const target = here('./dist/kernels/search.wasm');
const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (modified(target) < Math.max(modified(source), modified(fileURLToPath(import.meta.url)))) {
  mkdirSync(here('./dist/kernels'), { recursive: true });
  // Compiled beside the target and renamed, so that a test that runs meanwhile never reads half of it.
  const fresh = `${target}.${process.pid}`;
  const { error, stderr } = await asc.main(
    [source, '--outFile', fresh, '--runtime', 'minimal', '--enable', 'simd,bulk-memory', '-O3', '--noAssert', '--use', 'abort='],
  );
  if (error) throw new Error(`kernels/search.ts does not compile: ${stderr}`, { cause: error });
  renameSync(fresh, target);
}
