import { createServer } from 'node:http';
import { once } from 'node:events';
import { Refusal } from './engine/refusal.mjs';
import { route } from './routes.mjs';

/** Qdrant's own default (service.max_request_size_mb). */
const MAX_BODY = 32 * 2 ** 20;

/** HTTP for the engine: bodies, errors in Qdrant's form, faults. */
export class RestServer {
  #engine;
  #faults;
  #port = 0;
  /** @type {import('node:http').Server} */
  #server;

  constructor(engine, faults) {
    this.#engine = engine;
    this.#faults = faults;
  }

  async listen(port) {
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#port = this.#server.address().port);
  }

  /** Refuses connections for `ms`, and breaks existing ones. Requests in progress may have been applied. */
  async goAway(ms) {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
    setTimeout(() => void this.listen(this.#port), ms);
  }

  async #answer(request, response) {
    const began = performance.now();
    const answer = (status, body) => {
      if (response.destroyed) return;
      const json = JSON.stringify({ ...body, time: (performance.now() - began) / 1000 });
      response.writeHead(status, { 'content-type': 'application/json', ...(status === 429 && { 'retry-after': '1' }) }).end(json);
    };
    const refuse = (status, error) => answer(status, { status: { error } });
    try {
      const body = await bodyOf(request);
      const url = new URL(request.url, 'http://server');
      const fault = await this.#faults.meet(`${request.method} ${url.pathname}`);
      const injectFault = () =>
        fault.mode === 'reset' ? response.socket?.destroy() : refuse(Number(fault.mode), 'Service internal error: injected fault');
      if (fault?.when === 'before') return injectFault();
      const found = await route(this.#engine, request.method, url, parse(body));
      if (fault?.when === 'after') return injectFault();
      if (found.plain !== undefined) return response.end(typeof found.plain === 'string' ? found.plain : JSON.stringify(found.plain));
      answer(200, { result: found.result, status: 'ok' });
    } catch (error) {
      if (error instanceof Refusal) return refuse(error.status, error.message);
      if (!response.destroyed && !request.aborted) console.error(error);
      refuse(500, `Service internal error: ${error.message}`);
    }
  }
}

const bodyOf = async (request) => {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length <= MAX_BODY) parts.push(part);
  }
  if (length > MAX_BODY) throw new Refusal(413, `JSON payload (${length} bytes) is larger than allowed (limit: ${MAX_BODY} bytes).`);
  return Buffer.concat(parts).toString('utf8');
};

const parse = (body) => {
  if (body === '') return undefined;
  try {
    const value = JSON.parse(body);
    if (/\\u[dD][89a-fA-F]/.test(body)) checkWellFormed(value);
    return value;
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(400, `Format error in JSON body: ${error.message}`);
  }
};

/** The real server's JSON parser refuses halves of surrogate pairs. */
const checkWellFormed = (value) => {
  if (typeof value === 'string' && !value.isWellFormed())
    throw new Refusal(400, 'Format error in JSON body: lone leading surrogate in hex escape');
  if (typeof value === 'object' && value !== null) for (const inner of Object.entries(value).flat()) checkWellFormed(inner);
};
