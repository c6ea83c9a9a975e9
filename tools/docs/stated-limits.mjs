/**
 * Compares the limits that hand-written docs, deployment files and texts of the command line state with the constants of the code. Each entry: a file, a sentence with `#` for each number, and the
 * numbers. A sentence that is gone is a finding too, so that a rewritten one does not go unchecked.
 */
import { readFileSync } from 'node:fs';
import { inRoot } from '../setup/workspace.mjs';

/** Sentences with their numbers, from the code. */
export const statedLimits = async () => {
  // Spelled out, so that check:unused sees what is used.
  const [
    { LENGTHS, MAX_FIELDS, MAX_LABELS, FILTER_LIMITS },
    { MAX_DIMENSIONS },
    { MAX_CHUNKS },
    { REQUEST_LIMITS },
    { MAX_WAITING_PER_TENANT, MAX_WAIT_MS },
    { DEFAULT_LIMITS, DEFAULT_POOL },
    { httpSettings },
    { BACKLOG, DRAIN_MS },
    { MAX_MS: MAX_PAUSE_MS },
    { MAX_WAIT_MS: MAX_AUDIT_WAIT_MS },
    { BEHIND_MS, SLOW_FLUSH_MS },
    { MAX_SCANNED },
    { MAX_READ_BACK },
    { VERSION_LIMITS },
    { MAX_EVENTS },
    { MIN_CHARACTERS },
    { MAX_REQUEST_ID },
    { DEFAULT_RETRY_POLICY },
  ] = await Promise.all([
    import('../../libs/knowledge/src/values/value-limits.ts'),
    import('../../libs/knowledge/src/values/versions.ts'),
    import('../../libs/contracts/src/schemas/max-chunks.ts'),
    import('../../libs/contracts/src/http/request-limits.ts'),
    import('../../libs/http/src/at-least/position-gate.ts'),
    import('../../libs/adapters/documents/src/parser-limits.ts'),
    import('../../libs/platform/src/settings/process-settings.ts'),
    import('../../libs/platform/src/serve/create-app.ts'),
    import('../../libs/http/src/overload/refused-connections.ts'),
    import('../../libs/tenancy/src/audit/audit-trail.ts'),
    import('../../libs/telemetry/src/figures/rag-health.ts'),
    import('../../libs/query/src/events/browse-events.ts'),
    import('../../libs/query/src/timeline/list-timeline.ts'),
    import('../../libs/ingestion/src/versions/document-versions.ts'),
    import('../../libs/ingestion/src/versions/document-history.ts'),
    import('../../libs/backup/src/sealed/secret.ts'),
    import('../../libs/http/src/request-id.ts'),
    import('../../libs/adapters/openai/src/retries.ts'),
  ]);
  const { query, topK, contextTokens } = REQUEST_LIMITS;
  const { maxTextChars, maxPages, maxHeadings, maxCells, maxColumns, maxZipEntries, maxZipRatio, maxNesting, maxHtmlElements } =
    DEFAULT_LIMITS;
  const HOSTILE = 'docs/explanation/hostile-files.md';
  const FLOW = 'docs/explanation/flow-controls.md';
  const LOOK_BACK = 'docs/how-to/look-back.md';
  const HEAD = 'tools/docs/http-api-head.txt';
  const DISTRIBUTED = 'docs/how-to/run-distributed.md';
  const maxDocumentMb = httpSettings.PALIMPSEST_MAX_DOCUMENT_MB.parse(undefined);
  const parserMb = DEFAULT_POOL.maxRssBytes / 1_000_000;
  const seconds = (...names) => names.map((name) => DEFAULT_POOL[name] / 1_000);
  const drainSeconds = DRAIN_MS / 1_000;
  return [
    ['docs/how-to/filters.md', 'at most # levels and # conditions', FILTER_LIMITS.levels, FILTER_LIMITS.conditions],
    ['docs/how-to/filters.md', '`{"label.value": "number"}`, at most #', MAX_FIELDS],
    ['docs/roadmap.md', 'It ends early once # more events of documents were read', MAX_READ_BACK],
    [LOOK_BACK, '| text of a version | # characters and # lines', VERSION_LIMITS.textCharacters, VERSION_LIMITS.lines],
    [LOOK_BACK, '| lines that differ | # added and removed lines', VERSION_LIMITS.changedLines],
    [LOOK_BACK, '| response | # chunks and # characters', VERSION_LIMITS.listedChunks, VERSION_LIMITS.characters],
    [LOOK_BACK, '| history of a document | # events', MAX_EVENTS],
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
      HEAD,
      '| `labels` | at most #; name: a letter, then letters, digits, `_.-`, at most #; value: at most # characters',
      ...[MAX_LABELS, LENGTHS.labelName, LENGTHS.labelValue],
    ],
    [HOSTILE, '| text | # characters; # chunks', maxTextChars, MAX_CHUNKS],
    [HOSTILE, '| pages, slides, chapters | # |', maxPages],
    [HOSTILE, '| headings | # |', maxHeadings],
    [HOSTILE, '| cells of all sheets; columns of one sheet | #; # |', maxCells, maxColumns],
    [HOSTILE, '| entries of a container (DOCX, XLSX, EPUB …); total unpacked size | #;', maxZipEntries],
    [HOSTILE, '| compression ratio of a part of 20 MB or more | # |', maxZipRatio],
    [HOSTILE, 'CPU time | # s, plus # s per MB of the file, # s at most', ...seconds('computeMs', 'computeMsPerMb', 'computeMsAtMost')],
    [HOSTILE, 'wall time | # s;', ...seconds('timeoutMs')],
    [HOSTILE, 'resident memory of the parser process | # MB', parserMb],
    [HOSTILE, 'Each may use # MB', parserMb],
    [HOSTILE, '`PALIMPSEST_MAX_DOCUMENT_MB`, # |', maxDocumentMb],
    ['docs/roadmap.md', '`PALIMPSEST_MAX_DOCUMENT_MB` (#)', maxDocumentMb],
    ['deploy/kustomize/overlays/example/kustomization.yaml', 'nginx.ingress.kubernetes.io/proxy-body-size: #m', maxDocumentMb + 1],
    ['deploy/kustomize/base/ingestion.yaml', 'which may use # MB each', parserMb],
    ['docker/compose.yaml', 'Two parsers may use # MB each', parserMb],
    ['docker/compose.yaml', 'The services take up to # s to finish', drainSeconds],
    ...['ingestion', 'query', 'reembedding'].map((service) => [
      `deploy/kustomize/base/${service}.yaml`,
      'The service takes up to # s to finish',
      drainSeconds,
    ]),
    [DISTRIBUTED, 'finishes its current work (at most # s)', drainSeconds],
    [
      DISTRIBUTED,
      'allow more than # s before the kill (Compose: #, Kubernetes: #)',
      drainSeconds,
      numberIn('docker/compose.yaml', /stop_grace_period: (\d+)s/),
      numberIn('deploy/kustomize/base/query.yaml', /terminationGracePeriodSeconds: (\d+)/),
    ],
    [HEAD, '`knowledgeBase`, `id` of a knowledge base | 1–# of', LENGTHS.knowledgeBaseId],
    [HEAD, '`sourceId` | 1–# characters', LENGTHS.sourceId],
    [HEAD, '(letters, digits, `._-`, at most #)', MAX_REQUEST_ID],
    [HEAD, 'After # seconds, it returns 503', MAX_WAIT_MS / 1_000],
    ['docs/how-to/watch-the-platform.md', 'one request scans at most # events', MAX_SCANNED],
    ['docs/roadmap.md', 'A page of `GET /v1/events` scans # events', MAX_SCANNED],
    ['docs/how-to/watch-the-platform.md', 'have been behind the log for more than # s', BEHIND_MS / 1_000],
    ['docs/how-to/watch-the-platform.md', 'the 95th percentile of appends is over # ms', SLOW_FLUSH_MS],
    ['docs/how-to/audit.md', 'does not accept the entry within # seconds', MAX_AUDIT_WAIT_MS / 1_000],
    ['docs/how-to/back-up-and-recover.md', '`PALIMPSEST_BACKUP_PASSPHRASE` (at least # characters)', MIN_CHARACTERS],
    ['apps/cli/src/secret-options.ts', 'at least # characters', MIN_CHARACTERS],
    [FLOW, 'each connection waits at most # s', MAX_PAUSE_MS / 1_000],
    [FLOW, 'the kernel queues up to # of them', BACKLOG],
    ['libs/adapters/openai/README.md', '429, after # more attempts', DEFAULT_RETRY_POLICY.retries],
    ['libs/adapters/openai/README.md', 'a `Retry-After` of over # s', DEFAULT_RETRY_POLICY.maxPauseMs / 1_000],
    [HOSTILE, 'open formatting elements, pieces of one paragraph | #; #;', maxNesting, maxHtmlElements],
  ];
};

/** A number that a deployment file sets. */
const numberIn = (file, pattern) => Number(pattern.exec(readFileSync(inRoot(file), 'utf8'))?.[1]);

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
