import { connect } from 'node:net';

const HEADERS_END = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);
/** The header with which a refusal explains itself, in addition to its status. */
const PROBLEM = /^content-type: application\/problem\+json/im;
const CODE = '"code":"Overloaded"';

/** The bytes of an HTTP/1.1 request on a connection that is kept, or closed after the answer. */
export const wireBytes = ({ url, method, path, headers, body }, kept) => {
  const lines = Object.entries({
    host: new URL(url).host,
    ...headers,
    'content-length': Buffer.byteLength(body),
    connection: kept ? 'keep-alive' : 'close',
  });
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`);
};

/**
 * One connection, one request at a time, for loads that Node's own client is too expensive for: this one costs a fifth, so that sending ten times the
 * load does not distort the measurement. Supports only answers with a `content-length`, as the platform returns here.
 */
export class WireConnection {
  #socket;
  #read = NOTHING;
  #answered;
  open = true;

  constructor(url) {
    const { hostname, port } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on('data', (bytes) => this.#take(bytes));
    this.#socket.on('error', (error) => this.#end(error.code ?? error.message));
    this.#socket.on('close', () => this.#end('closed'));
  }

  /** Calls back once, with `{ status, retryAfter, explained }` or `{ fault }`. */
  ask(bytes, answered) {
    this.#answered = answered;
    this.#socket.write(bytes);
  }

  give(fault) {
    this.#end(fault);
    this.#socket.destroy();
  }

  #end(fault) {
    this.open = false;
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.({ fault });
  }

  #take(bytes) {
    this.#read = this.#read.length === 0 ? bytes : Buffer.concat([this.#read, bytes]);
    const end = this.#read.indexOf(HEADERS_END);
    if (end === -1) return;
    const head = this.#read.latin1Slice(0, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? NaN);
    if (Number.isNaN(length)) return this.give('the answer has no length');
    if (this.#read.length < end + HEADERS_END.length + length) return undefined;
    const status = Number(head.slice(9, 12));
    const answer = { status };
    if (status === 429) {
      answer.retryAfter = Number(/\r\nretry-after: (\d+)/i.exec(head)?.[1] ?? NaN);
      answer.explained = PROBLEM.test(head) && this.#read.includes(CODE, end);
    }
    this.#read = NOTHING;
    if (/\r\nconnection: close/i.test(head)) this.open = false;
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.(answer);
    return undefined;
  }
}
