import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

type Json = Readonly<Record<string, unknown>>;
type Media = Readonly<{ schema: Json; example?: unknown; examples?: Readonly<Record<string, Json>> }>;
export type DescribedAnswer = Readonly<{ description: string; headers?: Json; content?: Readonly<Record<string, Media>> }>;
export type DescribedParameter = Readonly<{ name: string; in: string; required?: boolean; schema: Json; example?: unknown; $ref?: string }>;
export type DescribedOperation = Readonly<{
  operationId: string;
  summary: string;
  description?: string;
  tags: readonly string[];
  parameters: readonly DescribedParameter[];
  requestBody?: Readonly<{ content: Readonly<Record<string, Media>> }>;
  responses: Readonly<Record<string, DescribedAnswer>>;
  'x-palimpsest-role'?: string;
  'x-palimpsest-limited-by-labels'?: boolean;
}>;
export type Description = Readonly<{
  openapi: string;
  info: Json;
  paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}>;
export type DescribedRoute = Readonly<{ route: string; method: string; path: string; operation: DescribedOperation }>;
/** A response to compare with the description. */
export type ReceivedAnswer = Readonly<{ method: string; url: string; status: number; headers: Headers; text: string }>;

export const routesOf = ({ paths }: Description): readonly DescribedRoute[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );

/** The description allows additional properties, for later versions. A response of this version must not contain any. */
const closed = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(closed);
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closed(value)]));
  const names = 'properties' in copy && copy['type'] === 'object' && !('additionalProperties' in copy);
  return names ? { ...copy, additionalProperties: false } : copy;
};

const pointer = (...parts: readonly string[]): string =>
  parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');

/** Compares responses with the OpenAPI description of the platform. */
export class Described {
  readonly #description: Description;
  readonly #ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true, validateFormats: false });
  readonly #routes: readonly Readonly<{ known: DescribedRoute; matches: RegExp }>[];

  constructor(description: Description) {
    this.#description = description;
    this.#ajv.addSchema(closed(description) as Json, 'api');
    // Fixed paths before paths with parameters: /v1/documents/live is not a document.
    const sorted = [...routesOf(description)].sort((a, b) => a.path.split('{').length - b.path.split('{').length);
    this.#routes = sorted.map((known) => ({
      known,
      matches: new RegExp(`^${known.path.replaceAll(/[.]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    }));
  }

  routeOf(method: string, url: string): DescribedRoute | undefined {
    const path = url.split('?')[0] ?? '';
    const fits = this.#routes.filter(({ matches }) => matches.test(path));
    return fits.find(({ known }) => known.path === fits[0]?.known.path && known.method === method)?.known;
  }

  /** How a value violates the schema at this place of the description. */
  violations(value: unknown, ...place: readonly string[]): readonly string[] {
    const validate = this.#ajv.getSchema(`api#/${pointer(...place)}`) as ValidateFunction | undefined;
    if (!validate) return [`no schema at ${place.join(' ')}`];
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath || 'it'} ${message} ${JSON.stringify(params)}`);
  }

  /** How a response differs from the description. */
  answerViolations({ method, url, status, headers, text }: ReceivedAnswer): readonly string[] {
    const found = this.routeOf(method, url);
    if (!found) return status < 400 && url.startsWith('/v1/') ? ['a route that is not described'] : [];
    const answer = found.operation.responses[String(status)];
    if (!answer) return [`status ${status} is not described: ${text.slice(0, 300)}`];
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    // A browser that requests `/` gets the console, which is not part of the API.
    if (found.path === '/' && type === 'text/html') return [];
    const place = ['paths', found.path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema'];
    const wrong = Object.entries(answer.headers ?? {}).flatMap(([name, header]) =>
      this.#headerViolations(name, header as Json, headers.get(name)),
    );
    if (!answer.content) return text === '' ? wrong : [...wrong, 'a body, where none is described'];
    const media = answer.content[type];
    if (!media) return [...wrong, `content type "${type}" is not described`];
    const items = media.schema['contentSchema'];
    if (items === undefined) return [...wrong, ...this.violations(JSON.parse(text), ...place)];
    return [...wrong, ...itemsOf(type, text).flatMap((item) => this.violations(item, ...place, 'contentSchema'))];
  }

  #headerViolations(name: string, { $ref }: Json, value: string | null): readonly string[] {
    const header = String($ref).split('/').at(-1) ?? '';
    const described = this.#description.components['headers']?.[header] as Readonly<{ required?: boolean; schema: Json }> | undefined;
    if (!described) return [`header ${name}: nothing at ${String($ref)}`];
    if (value === null) return described.required === true ? [`the header ${name} is missing`] : [];
    const typed = described.schema['type'] === 'integer' ? Number(value) : value;
    return this.violations(typed, 'components', 'headers', header, 'schema').map((wrong) => `header ${name}: ${wrong}`);
  }
}

/** The JSON values of a stream, without its end message and without keep-alive comments. */
const itemsOf = (type: string, text: string): readonly unknown[] => {
  if (type === 'application/x-ndjson')
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  const messages = text.split('\n\n').filter((message) => /^data: /m.test(message) && !/^event: end$/m.test(message));
  return messages.map((message) => JSON.parse(/^data: (.*)$/m.exec(message)?.[1] ?? 'null') as unknown);
};

const violations: string[] = [];
let described: Promise<Described> | undefined;

/** The description of the platform at this address. It is fetched once, because all platforms of a suite are of the same build. */
export const describedAt = (url: string): Promise<Described> =>
  (described ??= fetch(`${url}/openapi.json`).then(async (answer) => new Described((await answer.json()) as Description)));

/** Collects the differences between a response and the description; any of them fails the suite at its end. */
export const checkAnswer = async (origin: string, received: ReceivedAnswer): Promise<void> => {
  const known = await describedAt(origin).catch(() => (described = undefined));
  for (const wrong of known?.answerViolations(received) ?? [])
    violations.push(`${received.method} ${received.url} answered ${received.status}: ${wrong}`);
};

afterAll(() => {
  expect([...new Set(violations)].slice(0, 20)).toEqual([]);
});
