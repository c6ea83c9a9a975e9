/** The body of an error response (RFC 9457). */
export type ProblemBody = Readonly<{
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  field?: string;
  expected?: string;
}>;

export type Answer = Readonly<{ status: number; headers: Headers; text: string; json: Record<string, unknown> }>;

export type AskOptions = Readonly<{
  /** `undefined` sends no Authorization header. */
  key?: string | undefined;
  json?: unknown;
  /** Sent unchanged, with the content type of `headers`. */
  body?: string | Uint8Array | FormData;
  headers?: Readonly<Record<string, string>>;
  fetch?: typeof fetch;
}>;

/** Sends one plain request, such as `POST /v1/search`, without the retries and types of the client. */
export const ask = async (url: string, route: string, { key, json, body, headers, fetch: send = fetch }: AskOptions): Promise<Answer> => {
  const [method = 'GET', path = '/'] = route.split(' ', 2);
  const content = json === undefined ? body : JSON.stringify(json);
  const response = await send(`${url}${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(content === undefined ? {} : { body: content as string | FormData }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
};

const parsed = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
};

/** Expects an error response with this status and code, in the standard format. */
export const expectProblem = (
  answer: Answer,
  status: number,
  code: string,
  more: Readonly<{ field?: string | RegExp }> = {},
): ProblemBody => {
  const problem = answer.json as unknown as ProblemBody;
  expect({ status: answer.status, code: problem.code, type: answer.headers.get('content-type')?.split(';')[0] }).toEqual({
    status,
    code,
    type: 'application/problem+json',
  });
  expect(problem).toMatchObject({ type: `urn:palimpsest:problem:${code}`, status, title: expect.any(String), detail: expect.any(String) });
  if (status === 400) expect(problem).toMatchObject({ field: expect.any(String), expected: expect.any(String) });
  if (more.field !== undefined) expect(problem.field).toMatch(more.field);
  return problem;
};
