import { createServer } from 'node:http';

/** `POST /faults` with JSON: see `Faults.set`. Returns 204, or 400 with the reason. */
export const startControl = async (faults) => {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request.setEncoding('utf8')) text += part;
    try {
      if (request.method !== 'POST' || request.url !== '/faults') throw new Error('expected POST /faults');
      faults.set(JSON.parse(text));
      response.writeHead(204).end();
    } catch (error) {
      response.writeHead(400).end(`${error.message}\n`);
    }
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
};
