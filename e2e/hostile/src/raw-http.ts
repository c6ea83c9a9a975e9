import { connect, type Socket } from 'node:net';
import { eventually } from '@palimpsest/test-kit/eventually';

export type RawAnswer = Readonly<{ status: number; headers: Readonly<Record<string, string>>; json: Readonly<Record<string, unknown>> }>;

/** A connection for requests that no HTTP client would send, written byte for byte. */
export class RawConnection {
  readonly socket: Socket;
  #received = '';
  #taken = 0;
  ended = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1').on('data', (text: string) => (this.#received += text));
    socket.on('close', () => (this.ended = true)).on('error', () => undefined);
  }

  static open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port) }, () => resolve(new RawConnection(socket)));
      socket.once('error', reject);
    });
  }

  write(text: string): this {
    this.socket.write(text, 'latin1', () => undefined);
    return this;
  }

  /** The next complete response; an interim response (100) counts as one. */
  async answer(): Promise<RawAnswer> {
    return eventually('an answer comes', () => Promise.resolve(this.#next()));
  }

  #next(): RawAnswer | undefined {
    const text = this.#received.slice(this.#taken);
    const end = text.indexOf('\r\n\r\n');
    if (end === -1) {
      if (this.ended) throw new Error(`the connection was closed without an answer: ${text}`);
      return undefined;
    }
    const [first = '', ...lines] = text.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = Number(headers['content-length'] ?? 0);
    const body = text.slice(end + 4, end + 4 + length);
    if (body.length < length) return undefined;
    this.#taken += end + 4 + length;
    return {
      status: Number(first.split(' ')[1]),
      headers,
      json: body.startsWith('{') ? (JSON.parse(body) as Record<string, unknown>) : {},
    };
  }

  /** Resolves when the server has closed the connection. */
  async closed(): Promise<void> {
    await eventually('the connection is closed', () => Promise.resolve(this.ended || undefined));
  }

  end(): void {
    this.socket.destroy();
  }
}

/** Sends one request on a new connection; `head` contains all its header lines. */
export const askRaw = async (url: string, head: readonly string[], body = ''): Promise<RawAnswer> => {
  const connection = await RawConnection.open(url);
  const answer = await connection.write(`${head.join('\r\n')}\r\n\r\n${body}`).answer();
  connection.end();
  return answer;
};
