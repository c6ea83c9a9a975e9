import { ask, type Answer, type Asking } from '../test/ask.ts';

/** The longest that anybody waits for an answer; longer than anything that answers late says that it takes. */
const PATIENCE_MS = 90_000;

/** Answers that no fault excuses, told with what was asked. */
export class WrongAnswers {
  readonly list: string[] = [];
  readonly counts = new Map<string, number>();

  /** Counts the answer, and notes it when it is neither `right` nor a refusal for the moment that says when to come again. */
  judge(what: string, answer: Answer | Error, right: number): boolean {
    const kind = answer instanceof Error ? 'none' : String(answer.status);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    if (answer instanceof Error) this.list.push(`${what}: no answer (${answer.message}: ${String(answer.cause)})`);
    else if (answer.status !== right && !refusedForNow(answer)) this.list.push(`${what}: ${answer.status} ${answer.text.slice(0, 300)}`);
    return !(answer instanceof Error) && answer.status === right;
  }

  get told(): string {
    return [...this.counts].sort().map(([kind, count]) => `${count} × ${kind}`).join(', ');
  }
}

/** 503 or 429, in the form of a problem, with a Retry-After of whole seconds. */
const refusedForNow = ({ status, headers, json }: Answer): boolean =>
  (status === 503 || status === 429) && /^\d+$/.test(headers.get('retry-after') ?? '') && json['status'] === status && typeof json['code'] === 'string';

/** What came, or why nothing did. */
export const answerTo = async (url: string, route: string, asking: Asking): Promise<Answer | Error> => {
  const patient: typeof fetch = (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
  try {
    return await ask(url, route, { fetch: patient, ...asking });
  } catch (error) {
    // Node's own errors are no `Error` of Jest's; what they say, and what caused them, is kept.
    return error instanceof Error ? error : new Error(String(error), { cause: (error as Partial<Error>).cause });
  }
};
