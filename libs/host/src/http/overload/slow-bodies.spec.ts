import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { jest } from '@jest/globals';
import type { KindOfWork } from './kind-of-work.ts';
import { cutOffSlowBody } from './slow-bodies.ts';

const MS = 1_000;

/** A request of whose body some has come, and what it was answered. */
const aRequest = (kind: KindOfWork) => {
  const request = { complete: false, readableLength: 0, socket: { bytesRead: 10 }, headers: {} as Record<string, string>, destroyed: false, destroy: () => (request.destroyed = true) };
  const answer: { status: number; body: string; headers: readonly string[] } = { status: 0, body: '', headers: [] };
  const response = Object.assign(new EventEmitter(), {
    headersSent: false, destroyed: false,
    writeHead: (status: number, headers: readonly string[]) => (Object.assign(answer, { status, headers }), response),
    end: (body: string, then: () => void) => ((answer.body = body), (response.headersSent = true), then(), response.emit('close')),
  });
  cutOffSlowBody(request as unknown as IncomingMessage, response as unknown as ServerResponse, kind, MS);
  return { request, response, answer };
};

/** So much time, and the turns of the event loop in it. */
const pass = (ms: number): void => void jest.advanceTimersByTime(ms);

describe('a request that does not send what it announced', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it.each<KindOfWork>(['search', 'write', 'read'])('(%s) is answered, and its connection closed, when nothing came for as long as it may take', (kind) => {
    const { request, answer } = aRequest(kind);
    pass(MS - 1);
    expect(answer.status).toBe(0);
    pass(2);
    expect([answer.status, request.destroyed]).toEqual([400, true]);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'InvalidValue', field: 'body', expected: expect.stringContaining('1 s') });
    expect(answer.headers[answer.headers.indexOf('x-request-id') + 1]).toBe(request.headers['x-request-id']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('may take its time over what is large, as long as some of it comes', () => {
    const { request, answer } = aRequest('write');
    for (let i = 0; i < 10; i++) {
      request.socket.bytesRead++;
      pass(MS);
    }
    expect(answer.status).toBe(0);
    pass(2 * MS);
    expect(answer.status).toBe(400);
  });

  it('has so much time for all of a query', () => {
    const { request, answer } = aRequest('search');
    for (let i = 0; i < 4; i++) {
      request.socket.bytesRead++;
      pass(MS / 4 + 1);
    }
    expect(answer.status).toBe(400);
  });

  it('is not late where what came still waits to be read here', () => {
    const { request, answer } = aRequest('write');
    request.readableLength = 5;
    pass(10 * MS);
    expect(answer.status).toBe(0);
  });

  it('is left alone once all of it is there, and when it was answered or left', () => {
    const whole = aRequest('search');
    whole.request.complete = true;
    const gone = aRequest('search');
    gone.response.emit('close');
    pass(10 * MS);
    expect([whole.answer.status, gone.answer.status, jest.getTimerCount()]).toEqual([0, 0, 0]);
  });
});
