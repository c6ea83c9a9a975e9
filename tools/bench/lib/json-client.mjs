import { Agent, request } from 'node:http';

/** Node's plain client with connections that stay open: `fetch` takes 0.8 ms more per request, which is not the server's time. */
export class JsonClient {
  #agent = new Agent({ keepAlive: true });
  #url;
  #headers;

  constructor(url, key) {
    this.#url = url;
    this.#headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  }

  /** @throws when the status is not 2xx */
  async ask(method, path, body) {
    const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = { ...this.#headers, ...(sent ? { 'content-type': 'application/json', 'content-length': sent.length } : {}) };
    const { status, text } = await new Promise((resolve, reject) => {
      const asked = request(`${this.#url}${path}`, { method, headers, agent: this.#agent }, (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part)).on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(parts).toString() }));
      });
      asked.on('error', reject).end(sent);
    });
    if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
    return JSON.parse(text);
  }

  close() {
    this.#agent.destroy();
  }
}
