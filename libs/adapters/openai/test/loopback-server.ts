import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP server on a free port of this machine. `url`: with the path `/v1`. Closing it ends open connections, too. */
export const startLoopbackServer = async (
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Readonly<{ url: string; close: () => Promise<void> }>> => {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const close = (): Promise<void> =>
    new Promise((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close };
};
