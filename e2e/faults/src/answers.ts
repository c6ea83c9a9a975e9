import { ask, type Answer, type AskOptions } from '@palimpsest/e2e-support/ask';

/** The maximum time to wait for a response; longer than every timeout of the platform. */
const PATIENCE_MS = 90_000;

/** Collects responses that no fault explains, with their requests. */
export class WrongAnswers {
  readonly list: string[] = [];
  readonly counts = new Map<string, number>();

  /** Counts a response, and records it if it has neither the status `right` nor is a temporary refusal with a Retry-After. */
  judge(what: string, answer: Answer | Error, right: number): boolean {
    const kind = answer instanceof Error ? 'none' : String(answer.status);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    if (answer instanceof Error) this.list.push(`${what}: no answer (${answer.message}: ${String(answer.cause)})`);
    else if (answer.status !== right && !refusedForNow(answer)) this.list.push(`${what}: ${answer.status} ${answer.text.slice(0, 300)}`);
    return !(answer instanceof Error) && answer.status === right;
  }

  get summary(): string {
    return [...this.counts]
      .sort()
      .map(([kind, count]) => `${count} × ${kind}`)
      .join(', ');
  }
}

/** 503 or 429 as a problem document, with a Retry-After in whole seconds. */
const refusedForNow = ({ status, headers, json }: Answer): boolean =>
  (status === 503 || status === 429) &&
  /^\d+$/.test(headers.get('retry-after') ?? '') &&
  json['status'] === status &&
  typeof json['code'] === 'string';

/** The response, or the error if there was none. */
export const answerTo = async (url: string, route: string, options: AskOptions): Promise<Answer | Error> => {
  const patient: typeof fetch = (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
  try {
    return await ask(url, route, { fetch: patient, ...options });
  } catch (error) {
    // Errors of Node are no instances of Jest's `Error`, so message and cause are copied.
    return error instanceof Error ? error : new Error(String(error), { cause: (error as Partial<Error>).cause });
  }
};
