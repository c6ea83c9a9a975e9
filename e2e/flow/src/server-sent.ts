import { PalimpsestClient } from '@palimpsest/client';
import { afterSuite } from '@palimpsest/e2e-support/tidy-up';

export type Message = Readonly<{ id: string; event: string; data: Record<string, unknown> }>;

/** Reads a stream without our client: raw, line by line. */
export class ServerSent {
  readonly messages: Message[] = [];
  readonly status: number;
  readonly headers: Headers;
  readonly ended: Promise<void>;
  text = '';
  readonly #stop: AbortController;

  private constructor(response: Response, stop: AbortController) {
    this.status = response.status;
    this.headers = response.headers;
    this.#stop = stop;
    this.ended = this.#read(response).catch(() => undefined);
  }

  static async open(url: string, key: string, path: string, lastEventId?: string): Promise<ServerSent> {
    const stop = new AbortController();
    const headers = { authorization: `Bearer ${key}`, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) };
    const stream = new ServerSent(await fetch(`${url}${path}`, { headers, signal: stop.signal }), stop);
    afterSuite(() => stream.close());
    return stream;
  }

  close(): Promise<void> {
    this.#stop.abort();
    return this.ended;
  }

  async #read({ body }: Response): Promise<void> {
    const decoder = new TextDecoder();
    let taken = 0;
    for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
      this.text += decoder.decode(part, { stream: true });
      for (let end = this.text.indexOf('\n\n', taken); end >= 0; end = this.text.indexOf('\n\n', taken)) {
        const fields = new Map(
          this.text
            .slice(taken, end)
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        );
        const [id = '', event, data] = [fields.get('id'), fields.get('event'), fields.get('data')];
        if (event !== undefined && data !== undefined) this.messages.push({ id, event, data: JSON.parse(data) as Record<string, unknown> });
        taken = end + 2;
      }
    }
  }
}

/** A client that can follow streams. The `fetch` of the suite cannot, because it reads every response to its end. */
export const followingClient = (url: string, apiKey: string): PalimpsestClient => new PalimpsestClient({ url, apiKey });
