// Runs the document parser over a folder and reports, per kind of file: how many were parsed, why others were not, milliseconds
// per megabyte, the slowest; and the maximum memory of the parsing processes.
//
//   node --conditions=@palimpsest/source tools/eval/parse-all.mjs <folder> [--json results.json] [--show 400] [--only .pdf]
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { openDocumentParser } from '@palimpsest/adapters-documents';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'string' }, show: { type: 'string' }, only: { type: 'string' }, processes: { type: 'string', default: '2' } },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('the first argument must be the folder to parse');

const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((file) => values.only === undefined || file.endsWith(values.only))
  .sort();

/** Resident memory of all children of this process, bytes. Linux only. */
function childrenMemory() {
  let total = 0;
  try {
    for (const pid of readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean)) {
      total += 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    }
  } catch {
    // The child has just ended.
  }
  return total;
}

const parser = await openDocumentParser({ processes: Number(values.processes) });
let peakChildren = 0;
let peakSelf = 0;
const watch = setInterval(() => {
  peakChildren = Math.max(peakChildren, childrenMemory());
  peakSelf = Math.max(peakSelf, process.memoryUsage.rss());
}, 100);

const results = [];
async function parseOne(file) {
  const bytes = readFileSync(file);
  const start = performance.now();
  const result = await parser.parse({ bytes, fileName: file });
  const ms = performance.now() - start;
  results.push({
    file: relative(folder, file),
    kind: extname(file).toLowerCase() || '(none)',
    bytes: bytes.length,
    ms,
    ...summary(result),
  });
}

function summary(result) {
  if (result.outcome === 'rejected') return { outcome: result.reason, detail: result.detail };
  const { text, ...rest } = result.document;
  return {
    outcome: 'ok',
    chars: text.length,
    language: rest.language,
    title: rest.title,
    mediaType: rest.mediaType,
    headings: rest.headings.length,
    pages: rest.pages.length,
    sheets: rest.sheets.length,
    warnings: rest.warnings,
    start: values.show ? text.slice(0, Number(values.show)) : undefined,
  };
}

const queue = [...files];
await Promise.all(
  Array.from({ length: Number(values.processes) }, async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) await parseOne(file);
  }),
);
clearInterval(watch);
await parser.close();

const kinds = Map.groupBy(results, ({ kind }) => kind);
console.table(
  [...kinds].map(([kind, group]) => {
    const ok = group.filter(({ outcome }) => outcome === 'ok');
    const bytes = group.reduce((sum, item) => sum + item.bytes, 0);
    const ms = group.reduce((sum, item) => sum + item.ms, 0);
    const slowest = group.reduce((a, b) => (a.ms > b.ms ? a : b));
    const reasons = Object.entries(
      Object.groupBy(
        group.filter(({ outcome }) => outcome !== 'ok'),
        ({ outcome }) => outcome,
      ),
    )
      .map(([reason, list]) => `${reason} ${list.length}`)
      .join(', ');
    return {
      kind,
      files: group.length,
      ok: ok.length,
      reasons,
      MB: (bytes / 1e6).toFixed(2),
      'ms/MB': Math.round(ms / (bytes / 1e6)),
      'slowest ms': Math.round(slowest.ms),
      slowest: slowest.file.slice(-50),
    };
  }),
);
console.log(
  'languages',
  Object.fromEntries([...Map.groupBy(results, ({ language }) => language ?? '-')].map(([language, list]) => [language, list.length])),
);
for (const { file, outcome, detail } of results.filter((result) => result.outcome !== 'ok'))
  console.log(`${outcome.padEnd(12)} ${file}: ${detail}`);
console.log(`peak memory: children together ${(peakChildren / 1e6).toFixed(0)} MB, this process ${(peakSelf / 1e6).toFixed(0)} MB`);
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(results, null, 1));
