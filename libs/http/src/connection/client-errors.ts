import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SYSTEM } from '@palimpsest/foundation';
import { problem, type Problem } from '../problems/problem.ts';

/** Time in milliseconds in which a client can read why its connection is closed. */
const LINGER_MS = 1_000;

const problemFor = (code: string | undefined): Problem => {
  if (code === 'HPE_HEADER_OVERFLOW')
    return problem('HeadersTooLarge', 'the request line and the header fields together are larger than 16 KiB');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return problem('TooLarge', 'the chunk extensions of the body are larger than 16 KiB');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return problem('RequestTimeout', 'the request line and the header fields did not arrive in time');
  return problem('InvalidValue', 'request: expected an HTTP/1.1 message, got something else', {
    field: 'request',
    expected: 'an HTTP/1.1 message',
  });
};

/** Responds to a message that Node could not parse as a request, and closes the connection. For Fastify's `clientErrorHandler`. */
export const answerClientError = (error: NodeJS.ErrnoException, socket: Socket): void => {
  const answering = (socket as { _httpMessage?: ServerResponse | null })._httpMessage;
  // The client closed the connection, or a response is already being sent, and this one would be read as a part of it.
  if (error.code === 'ECONNRESET' || !socket.writable || answering?.headersSent === true) return void socket.destroy();
  const answer = problemFor(error.code);
  const body = JSON.stringify(answer);
  const reasons: Readonly<Record<number, string>> = {
    400: 'Bad Request',
    408: 'Request Timeout',
    413: 'Content Too Large',
    431: 'Request Header Fields Too Large',
  };
  const head = [
    `HTTP/1.1 ${answer.status} ${reasons[answer.status] ?? ''}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${SYSTEM.ids.next()}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Closing a connection with unread bytes would reset it, and the response would be lost.
  socket.removeAllListeners('data');
  socket.on('data', () => undefined).resume();
  socket.once(
    'close',
    SYSTEM.scheduler.after(LINGER_MS, () => socket.destroy()),
  );
};
