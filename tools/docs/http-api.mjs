/** docs/reference/http-api.md, from the OpenAPI document, the client's types and the list of problems. */
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { inRoot } from '../setup/workspace.mjs';
import { declaredTypes, withMentioned } from './declared-types.mjs';
import { GENERATED, anchorOf, code, fenced, page as pageOf, table } from './markdown.mjs';
import { openApi } from './openapi.mjs';

/** What each route answers: a type of libs/client, or words. */
const ANSWERS = {
  'GET /': '`{ name, version, openapi, health, search }`',
  'GET /health/live': '`{ status: "ok" }`',
  'GET /health/ready': '`{ status }`: `ok`; with 503 `catching up` or `projection failing`',
  'GET /health/rag': 'RagHealth',
  'GET /v1/overview': 'OverviewView',
  'GET /v1/events': 'EventPage',
  'GET /v1/events/{position}': 'EventView',
  'GET /v1/events/live': '[server-sent events](#live-streams) named `event`, each an EventView',
  'GET /v1/documents/live': '[server-sent events](#live-streams) named `document`, each a DocumentChange',
  'GET /v1/status': 'StatusView',
  'GET /v1/me': 'CallerView',
  'POST /v1/api-keys': 'ApiKeyCreated',
  'GET /v1/api-keys': '`{ keys }`, each an ApiKeyView',
  'DELETE /v1/api-keys/{keyId}': 'nothing',
  'GET /v1/usage': 'UsageView',
  'GET /v1/tenants': '`{ tenants }`, each a TenantView',
  'GET /v1/tenants/{tenant}/limits': 'TenantView',
  'PUT /v1/tenants/{tenant}/limits': 'TenantView',
  'GET /v1/dead-letters': '`{ deadLetters }`, each a DeadLetterView',
  'POST /v1/dead-letters/{id}/retry': '`{ id, status: "queued" }`',
  'DELETE /v1/dead-letters/{id}': 'nothing',
  'POST /v1/admin/rebuild': 'RebuildResult',
  'POST /v1/admin/verify': 'VerifyResult',
  'POST /v1/documents': 'SubmissionResult',
  'GET /v1/documents': 'DocumentPage',
  'PUT /v1/documents/{id}': 'SubmissionResult',
  'DELETE /v1/documents/{id}': '`{ documentId, position }`',
  'GET /v1/documents/{id}': 'DocumentDetails',
  'GET /v1/documents/{id}/chunks': 'ChunkPage',
  'POST /v1/documents/{id}/retry': 'SubmissionResult',
  'POST /v1/knowledge-bases': 'KnowledgeBaseWritten',
  'GET /v1/knowledge-bases': '`{ knowledgeBases }`, each a KnowledgeBaseView',
  'GET /v1/knowledge-bases/{id}': 'KnowledgeBaseView',
  'PATCH /v1/knowledge-bases/{id}': 'KnowledgeBaseWritten',
  'POST /v1/knowledge-bases/{id}/archive': 'KnowledgeBaseWritten',
  'POST /v1/knowledge-bases/{id}/pause': 'KnowledgeBaseWritten',
  'POST /v1/knowledge-bases/{id}/resume': 'KnowledgeBaseWritten',
  'POST /v1/scopes/{scope}/reembed': 'ReembedStarted',
  'GET /v1/scopes/{scope}/reembed': 'ReembedProgress',
  'POST /v1/scopes/{scope}/generations/{generation}/retire': 'GenerationRetired',
  'GET /v1/exports/{scope}': 'lines of JSON: an ExportHead, the documents, an ExportEnd',
  'POST /v1/imports/{scope}': 'ImportBegun',
  'POST /v1/imports/{scope}/documents': 'ImportResult',
  'POST /v1/search': 'SearchResult',
  'POST /v1/context': 'ContextResult',
};

/** Chapters in the order in which one meets them. */
const TAGS = ['Documents', 'Search', 'Knowledge bases', 'Events', 'API keys', 'Tenants', 'Operation'];

const limitsOf = ({ minimum, maximum, minLength, maxLength, minItems, maxItems, enum: choices, items }) => {
  const inner = items ? limitsOf(items) : '';
  const range = (least, most, unit) => (least === undefined && most === undefined ? '' : `${least ?? ''}–${most?.toLocaleString('en') ?? ''}${unit}`.replace(/^–/, 'at most ').replace(/(\d)–( |$)/, 'at least $1$2'));
  return [choices?.map(code).join(', '), range(minimum, maximum, ''), range(minLength, maxLength, ' characters'), range(minItems, maxItems, ' of them'), inner].filter(Boolean).join('; ');
};

const typeOf = ({ type, items, format, additionalProperties }) => {
  if (type === 'array') return `list of ${items?.format === 'binary' ? 'files' : (items?.type ?? 'values')}`;
  if (type === 'object' && additionalProperties) return `object of ${additionalProperties.type ?? 'values'}`;
  return format === 'binary' ? 'file' : (type ?? 'any JSON');
};

const fieldRows = ({ properties = {}, required = [] }) =>
  Object.entries(properties).map(([name, field]) => [
    code(name),
    typeOf(field),
    required.includes(name) ? 'needed' : field.default === undefined ? '' : code(JSON.stringify(field.default)),
    [limitsOf(field), field.description].filter(Boolean).join('; '),
  ]);

const HEAD = ['field', 'type', 'default', 'limits'];

const parametersOf = ({ parameters = [] }) =>
  parameters.length === 0 ? '' : table(['parameter', 'in', 'type', 'default', 'limits'], parameters.map(({ name, in: place, required, schema, description }) => [code(name), place, typeOf(schema), required ? 'needed' : schema.default === undefined ? '' : code(String(schema.default)), [limitsOf(schema), description].filter(Boolean).join('; ')]));

const bodyOf = ({ requestBody }) =>
  requestBody === undefined ? '' : pageOf(...Object.entries(requestBody.content).map(([type, { schema }]) => pageOf(`Body, \`${type}\`:`, table(HEAD, fieldRows(schema)))));

const problemsOf = ({ responses }) =>
  Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, { description }]) => `${status} ${description.split('; ').map((each) => code(each.split(':')[0])).join(', ')}`)
    .join(' · ');

const linked = (words, types) => words.replaceAll(/\b[A-Z]\w+\b/g, (name) => (types.has(name) ? `[\`${name}\`](#${anchorOf(name)})` : name));

const routeOf = ({ method, path, operation }, types) => {
  const route = `${method} ${path}`;
  if (!(route in ANSWERS)) throw new Error(`the answer of ${route} is not told in tools/docs/http-api.mjs`);
  const [success] = Object.keys(operation.responses).filter((status) => Number(status) < 400);
  const problems = problemsOf(operation);
  return pageOf(`### ${route}`, `${operation.summary}.`, parametersOf(operation), bodyOf(operation), `Answers ${success}: ${linked(ANSWERS[route], types)}.`, problems === '' ? 'Needs no key.' : `Problems: ${problems}`);
};

/** The codes in problem.ts, in their order there. */
const problemCodes = () => {
  const source = ts.createSourceFile('problem.ts', readFileSync(inRoot('libs/runtime/src/http/problem.ts'), 'utf8'), ts.ScriptTarget.Latest, true);
  const kinds = source.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => [...declarationList.declarations]).find(({ name }) => name.getText() === 'KINDS');
  return kinds.initializer.properties.map(({ name }) => name.getText());
};

const problemTable = async () => {
  const { problem } = await import(inRoot('libs/runtime/src/index.ts'));
  return table(['code', 'status', 'title'], problemCodes().map((each) => [code(each), problem(each, '').status, problem(each, '').title]));
};

export const page = async () => {
  const { paths } = await openApi();
  const types = declaredTypes('libs/client/src/views/*.ts');
  const routes = Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })));
  const chapters = TAGS.map((tag) => pageOf(`## ${tag}`, ...routes.filter(({ operation }) => operation.tags?.includes(tag)).map((route) => routeOf(route, types))));
  const lost = routes.filter(({ operation }) => !TAGS.includes(operation.tags?.[0]));
  if (lost.length > 0) throw new Error(`routes without a chapter: ${lost.map(({ path }) => path).join(', ')}`);
  const answered = Object.values(ANSWERS).flatMap((words) => [...words.matchAll(/\b[A-Z]\w+\b/g)].map(([name]) => name).filter((name) => types.has(name)));
  const told = withMentioned(answered, types).sort((a, b) => (a.name < b.name ? -1 : 1));
  const head = readFileSync(inRoot('tools/docs/http-api-head.txt'), 'utf8').replace('{{problems}}', await problemTable());
  return pageOf(
    '# HTTP API',
    GENERATED,
    head.trim(),
    ...chapters,
    '## Types',
    'As the typed client (`libs/client`) declares them. What has a `?` may be missing.',
    ...told.map(({ name, comment, text }) => pageOf(`### ${name}`, comment, fenced('ts', text))),
  );
};
