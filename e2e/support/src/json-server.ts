import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterSuite } from './tidy-up.ts';

/** A real server in the test that gets JSON, until the suite ends. Returns its address, with the path `/v1`. */
export const startJsonServer = async <Body>(
  answer: (response: ServerResponse, body: Body, request: IncomingMessage) => void,
): Promise<string> => {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => answer(response, JSON.parse(Buffer.concat(parts).toString()) as Body, request));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  afterSuite(async () => void (server.close(), server.closeAllConnections()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};

export const sendJson = (response: ServerResponse, body: unknown): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
