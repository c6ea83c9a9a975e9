/**
 * Compares the limits that hand-written docs state with the constants of the code. Each entry: a file, a sentence with `#` for each number, and the
 * numbers. A sentence that is gone is a finding too, so that a rewritten one does not go unchecked.
 */
import { readFileSync } from 'node:fs';
import { inRoot } from '../setup/workspace.mjs';

/** Sentences with their numbers, from the code. */
export const statedLimits = async () => {
  const [
    { LENGTHS, MAX_LABELS, FILTER_LIMITS },
    { MAX_DIMENSIONS },
    { MAX_CHUNKS },
    { REQUEST_LIMITS },
    { MAX_WAITING_PER_TENANT },
    { DEFAULT_LIMITS },
  ] = await Promise.all(
    [
      'libs/knowledge/src/values/value-limits.ts',
      'libs/knowledge/src/values/versions.ts',
      'libs/contracts/src/schemas/max-chunks.ts',
      'libs/contracts/src/http/request-limits.ts',
      'libs/http/src/at-least/position-gate.ts',
      'libs/adapters/documents/src/parser-limits.ts',
    ].map((file) => import(inRoot(file))),
  );
  const { query, topK, contextTokens } = REQUEST_LIMITS;
  const { maxTextChars, maxPages, maxHeadings, maxCells, maxColumns, maxZipEntries, maxZipRatio, maxNesting, maxHtmlElements } =
    DEFAULT_LIMITS;
  const HOSTILE = 'docs/explanation/hostile-files.md';
  return [
    ['docs/how-to/filters.md', 'at most # levels and # conditions', FILTER_LIMITS.levels, FILTER_LIMITS.conditions],
    ['docs/roadmap.md', 'A query has at most # characters, a response at most # results', query, topK.max],
    ['docs/roadmap.md', 'a context at most # tokens', contextTokens.max],
    ['docs/roadmap.md', 'vectors have at most # dimensions', MAX_DIMENSIONS],
    ['docs/roadmap.md', 'At most # chunks per document', MAX_CHUNKS],
    ['docs/roadmap.md', '# pages or slides', maxPages],
    ['docs/roadmap.md', '# columns of a sheet', maxColumns],
    ['libs/query/README.md', 'a query has at most # characters, a response at most # results', query, topK.max],
    ['libs/ingestion/README.md', 'Limits of a document: # chunks', MAX_CHUNKS],
    ['libs/ingestion/README.md', 'megabytes, # labels', MAX_LABELS],
    ['SECURITY.md', 'at most # wait per tenant and process', MAX_WAITING_PER_TENANT],
    [
      'tools/docs/http-api-head.txt',
      '| `labels` | at most #; name: a letter, then letters, digits, `_.-`, at most #; value: at most # characters',
      ...[MAX_LABELS, LENGTHS.labelName, LENGTHS.labelValue],
    ],
    [HOSTILE, '| text | # characters; # chunks', maxTextChars, MAX_CHUNKS],
    [HOSTILE, '| pages, slides, chapters | # |', maxPages],
    [HOSTILE, '| headings | # |', maxHeadings],
    [HOSTILE, '| cells of all sheets; columns of one sheet | #; # |', maxCells, maxColumns],
    [HOSTILE, '| entries of a container (DOCX, XLSX, EPUB …); total unpacked size | #;', maxZipEntries],
    [HOSTILE, '| compression ratio of a part of 20 MB or more | # |', maxZipRatio],
    [HOSTILE, 'open formatting elements, pieces of one paragraph | #; #;', maxNesting, maxHtmlElements],
  ];
};

const written = (number) => number.toLocaleString('en-US');
const escaped = (text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** One line for each stated limit that differs from the code. `read`: the text of a file */
export const wrongLimits = (limits, read = (file) => readFileSync(inRoot(file), 'utf8')) =>
  limits.flatMap(([file, sentence, ...numbers]) => {
    const pattern = new RegExp(escaped(sentence).replaceAll('#', '([\\d,]+)'));
    const found = pattern.exec(read(file));
    if (found === null) return [`${file}: no longer states "${sentence}"; update tools/docs/stated-limits.mjs`];
    return numbers.flatMap((number, index) =>
      found[index + 1] === written(number) ? [] : [`${file}: states ${found[index + 1]}, but the limit is ${written(number)}: ${found[0]}`],
    );
  });
