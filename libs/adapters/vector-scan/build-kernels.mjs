// Compiles kernels/ (AssemblyScript) to dist/kernels.wasm, from where both src/ and dist/ load it.
// Does nothing when that file was built from the same source with the same compiler.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import asc from 'assemblyscript/asc';

const here = new URL('./', import.meta.url);
const OPTIONS = ['-O3', '--noAssert', '--runtime', 'stub', '--importMemory', '--enable', 'simd', '--enable', 'relaxed-simd'];

const sources = Object.fromEntries(
  ['scan.ts', 'best.ts', 'scratch.ts'].map((name) => [name, readFileSync(new URL(`kernels/${name}`, here), 'utf8')]),
);
const stamp = createHash('sha256')
  .update(JSON.stringify([asc.version, OPTIONS, sources]))
  .digest('hex');
const stampFile = new URL('dist/kernels.stamp', here);
const wasmFile = new URL('dist/kernels.wasm', here);

const upToDate = () => {
  try {
    return readFileSync(stampFile, 'utf8') === `${stamp} ${sha256(readFileSync(wasmFile))}`;
  } catch {
    return false;
  }
};
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

if (!upToDate()) {
  let wasm;
  const { error, stderr } = await asc.main(['scan.ts', ...OPTIONS, '--outFile', 'kernels.wasm'], {
    readFile: (name) => sources[name] ?? null,
    writeFile: (name, contents) => {
      if (name === 'kernels.wasm') wasm = contents;
    },
    listFiles: () => [],
  });
  if (error || !wasm) {
    console.error(stderr.toString());
    throw error ?? new Error('the AssemblyScript compiler wrote nothing');
  }
  mkdirSync(new URL('dist/', here), { recursive: true });
  writeFileSync(wasmFile, wasm);
  writeFileSync(stampFile, `${stamp} ${sha256(wasm)}`);
}
