import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { answerClientError } from './client-errors.ts';

/** Sends text over a connection of its own. Resolves with everything received until the server closes the connection. */
const exchange = (server: Server, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let received = '';
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => void socket.write(text));
    socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    socket.once('close', () => resolve(received));
    socket.once('error', reject);
  });

const problemIn = (response: string): unknown => JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4));

/** A server that is used once. `timeoutMs`: for the whole header; 0 is no limit. */
const withServer = async (timeoutMs: number, work: (server: Server) => Promise<void>): Promise<void> => {
  const server = createServer(
    { headersTimeout: timeoutMs, requestTimeout: timeoutMs, connectionsCheckingInterval: 10 },
    (_, response) => void response.end('read'),
  );
  server.on('clientError', answerClientError);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  try {
    await work(server);
  } finally {
    await new Promise((resolve) => void server.close(resolve));
  }
};

describe('a request that Node cannot read', () => {
  it.each([
    [408, 'RequestTimeout', 'whose header never ends', 50, 'GET / HTTP/1.1\r\nHost: localhost\r\n'],
    [431, 'HeadersTooLarge', 'whose header is too large', 0, `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
    [400, 'InvalidValue', 'that is not HTTP', 0, 'hello\r\n\r\n'],
  ])('gets %i %s as a problem document: one %s', (status, code, _, timeoutMs, text) =>
    withServer(timeoutMs, async (server) => {
      const response = await exchange(server, text);
      expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} [A-Z]`));
      expect(response).toMatch(/\r\ncontent-type: application\/problem\+json\r\n/);
      expect(problemIn(response)).toMatchObject({ status, code });
    }),
  );
});
