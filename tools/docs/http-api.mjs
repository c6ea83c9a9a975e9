/** docs/reference/http-api.md, from the contracts of the routes: their OpenAPI document, their types and the list of problems. */
import { readFileSync } from 'node:fs';
import { inRoot } from '../setup/workspace.mjs';
import { GENERATED, anchorOf, code, fenced, page as pageOf, table } from './markdown.mjs';
import { openApi } from './openapi.mjs';
import { schemaTypes, withMentioned } from './schema-types.mjs';

const limitsOf = ({ minimum, maximum, minLength, maxLength, minItems, maxItems, enum: choices, items }) => {
  const inner = items ? limitsOf(items) : '';
  const range = (min, max, unit) =>
    min === undefined && max === undefined
      ? ''
      : `${min ?? ''}–${max?.toLocaleString('en') ?? ''}${unit}`.replace(/^–/, 'at most ').replace(/(\d)–( |$)/, 'at least $1$2');
  return [
    choices?.map(code).join(', '),
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' of them'),
    inner,
  ]
    .filter(Boolean)
    .join('; ');
};

const typeOf = ({ type, items, format, additionalProperties, $ref }) => {
  if ($ref) return `[\`${$ref.split('/').at(-1)}\`](#${anchorOf($ref.split('/').at(-1))})`;
  if (type === 'array') return `list of ${items?.format === 'binary' ? 'files' : (items?.type ?? 'values')}`;
  if (type === 'object' && additionalProperties) return `object of ${additionalProperties.type ?? 'values'}`;
  return format === 'binary' ? 'file' : [type ?? 'any JSON'].flat().join(' or ');
};

const fieldRows = ({ properties = {}, required = [] }) =>
  Object.entries(properties).map(([name, field]) => [
    code(name),
    typeOf(field),
    required.includes(name) ? 'required' : field.default === undefined ? '' : code(JSON.stringify(field.default)),
    [limitsOf(field), field.description].filter(Boolean).join('; '),
  ]);

const HEAD = ['field', 'type', 'default', 'limits'];

/** Without the headers that any request may have: the head of the page describes them. */
const parametersOf = ({ parameters: all = [] }, parameters = all.filter(({ $ref }) => !$ref)) =>
  parameters.length === 0
    ? ''
    : table(
        ['parameter', 'in', 'type', 'default', 'limits'],
        parameters.map(({ name, in: place, required, schema, description }) => [
          code(name),
          place,
          typeOf(schema),
          required ? 'required' : schema.default === undefined ? '' : code(String(schema.default)),
          [limitsOf(schema), description].filter(Boolean).join('; '),
        ]),
      );

const bodyOf = ({ requestBody }) =>
  requestBody === undefined
    ? ''
    : pageOf(
        ...Object.entries(requestBody.content).map(([type, { schema }]) => {
          if (schema.contentSchema?.$ref !== undefined) return `Body, \`${type}\`: lines of JSON, each ${linkTo(schema.contentSchema)}`;
          return pageOf(
            `Body, \`${type}\`${schema.contentSchema ? ', each line' : ''}:`,
            table(HEAD, fieldRows(schema.contentSchema ?? schema)),
          );
        }),
      );

const problemsOf = ({ responses }) =>
  Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(
      ([status, { description }]) =>
        `${status} ${description
          .split('; ')
          .map((each) => code(each.split(':')[0]))
          .join(', ')}`,
    )
    .join(' · ');

const linkTo = ({ $ref }) => `[\`${$ref.split('/').at(-1)}\`](#${anchorOf($ref.split('/').at(-1))})`;

/** A description of the answer with a status. */
const answerOf = ({ content }) => {
  if (content === undefined) return 'no content';
  const [[type, { schema }]] = Object.entries(content);
  if (type === 'text/event-stream') return `[server-sent events](#live-streams), each ${linkTo(schema.contentSchema)}`;
  if (type === 'application/x-ndjson') return `lines of JSON, each ${linkTo(schema.contentSchema)}`;
  return linkTo(schema);
};

const ROLES = { reader: 'a `reader`', writer: 'a `writer`', admin: 'an `admin`', operator: 'an `operator`' };

/** Admins and operators have no such keys. */
const isForAnyLabelsOnly = ({ security, ...operation }) =>
  security === undefined &&
  operation['x-palimpsest-limited-by-labels'] !== true &&
  !['admin', 'operator'].includes(operation['x-palimpsest-role']);

const routeOf = ({ method, path, operation }) => {
  const route = `${method} ${path}`;
  if (!operation.description) throw new Error(`${route} has no description in its contract`);
  const answers = Object.entries(operation.responses)
    .filter(([, { content }]) => !content?.['application/problem+json'])
    .map(([status, answer]) => `Returns ${status}: ${answerOf(answer)}.`);
  const problems = problemsOf(operation);
  const role = operation['x-palimpsest-role'];
  return pageOf(
    `### ${route}`,
    `${operation.summary}.`,
    operation.description,
    role === undefined
      ? ''
      : `Requires ${[role, operation['x-palimpsest-or-role']]
          .filter(Boolean)
          .map((one) => ROLES[one])
          .join(' or ')}.`,
    isForAnyLabelsOnly(operation)
      ? 'Refuses a key that [requires labels](../how-to/tenants-and-keys.md#keys-for-documents-with-certain-labels).'
      : '',
    parametersOf(operation),
    bodyOf(operation),
    answers.join(' '),
    problems === '' ? 'Requires no key.' : `Problems: ${problems}`,
  );
};

const problemTable = async () => {
  const { PROBLEMS } = await import(inRoot('libs/contracts/src/http/index.ts'));
  return table(
    ['code', 'status', 'title'],
    Object.entries(PROBLEMS).map(([problem, [status, title]]) => [code(problem), status, title]),
  );
};

/** Names of the types in the request and answers of an operation. */
const typesIn = (operation) =>
  [...JSON.stringify(operation).matchAll(/#\/components\/schemas\/(\w+)/g)]
    .map(([, name]) => name)
    .filter((name) => !name.endsWith('Problem'));

export const page = async () => {
  const { paths } = await openApi();
  const { TAGS } = await import(inRoot('libs/contracts/src/http/index.ts'));
  const types = await schemaTypes();
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const chapters = Object.entries(TAGS).map(([tag, about]) =>
    pageOf(`## ${tag}`, about, ...routes.filter(({ operation }) => operation.tags?.includes(tag)).map(routeOf)),
  );
  const documented = withMentioned(
    routes.flatMap(({ operation }) => typesIn(operation)),
    types,
  ).sort((a, b) => (a.name < b.name ? -1 : 1));
  const head = readFileSync(inRoot('tools/docs/http-api-head.txt'), 'utf8').replace('{{problems}}', await problemTable());
  return pageOf(
    '# HTTP API',
    GENERATED,
    head.trim(),
    ...chapters,
    '## Types',
    'Types as the typed client (`libs/client`) exports them, without `readonly`. Fields with a `?` are optional.',
    ...documented.map(({ name, comment, text }) => pageOf(`### ${name}`, comment, fenced('ts', text))),
  );
};
