import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { JsonClient } from './json-client.mjs';

/**
 * The cost of HTTP alone: a process that reads a JSON request with Node's plain server, and returns the JSON that it
 * was given before (`PUT /`), with nothing in between.
 */
export class BareExchange {
  #child;
  #client;

  static async open() {
    const exchange = new BareExchange();
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    exchange.#child = child;
    process.once('exit', () => child.kill('SIGKILL'));
    const [port] = await once(child, 'message');
    exchange.#client = new JsonClient(`http://127.0.0.1:${port}`);
    return exchange;
  }

  answersWith(answer) {
    return this.#client.ask('PUT', '/', answer);
  }

  ask(body) {
    return this.#client.ask('POST', '/', body);
  }

  close() {
    this.#client.close();
    this.#child.kill('SIGKILL');
  }
}

const serve = () => {
  let answer = {};
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString());
      if (request.method === 'PUT') answer = body;
      const text = JSON.stringify(answer);
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) }).end(text);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
};

if (process.argv[1] === fileURLToPath(import.meta.url)) serve();
