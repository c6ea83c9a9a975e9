import { Agent, createServer, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A proxy that injects faults between clients and the gateway. It keeps the Host header, since signatures cover it.
 * @param {number} gatewayPort
 * @param {import('./faults.mjs').Faults} faults
 */
export const faultyProxy = (gatewayPort, faults) => {
  const agent = new Agent({ keepAlive: true });
  return createServer({ requestTimeout: 0 }, (asked, answer) => {
    const fault = faults.next(asked.method, asked.url);
    handle(asked, answer, fault, gatewayPort, agent).catch(() => asked.destroy());
  });
};

const handle = async (asked, answer, fault, port, agent) => {
  if (fault?.kind === 'reset-before') return void asked.socket.resetAndDestroy();
  if (fault?.kind === 'fail') return refuse(asked, answer, fault);
  if (fault?.kind === 'delay') await sleep(fault.ms);
  const answered = await forward(asked, port, agent);
  if (fault?.kind === 'fail-after') return refuse(answered, answer, fault);
  if (fault?.kind === 'reset-after') return void answered.resume().once('end', () => asked.socket.resetAndDestroy());
  answer.writeHead(answered.statusCode, answered.rawHeaders);
  await passBody(asked, answered, answer, fault);
};

const passBody = async (asked, answered, answer, fault) => {
  const half = Math.floor(Number(answered.headers['content-length'] ?? 0) / 2);
  if (fault?.kind === 'corrupt') return pass(corrupted(answered, half), answer);
  if (fault?.kind === 'cut') return pass(firstOf(answered, half), answer).finally(() => asked.socket.resetAndDestroy());
  if (fault?.kind === 'stall') return pass(firstOf(answered, half), answer);
  answered.once('error', () => asked.socket.resetAndDestroy()).pipe(answer);
};

/** Forwards a request unchanged, and returns the gateway's answer. This server has already answered "Expect". */
const forward = (asked, port, agent) =>
  new Promise((resolve, reject) => {
    const { expect: _answered, ...headers } = asked.headers;
    const forwarded = request({ host: '127.0.0.1', port, agent, method: asked.method, path: asked.url, headers });
    forwarded.once('response', resolve).once('error', reject);
    asked.once('error', reject).pipe(forwarded);
  });

/** Reads the request to its end first, so that the connection can be reused. */
const refuse = (from, answer, { status, code }) => {
  from.resume().once('end', () => {
    answer.writeHead(status, { 'content-type': 'application/xml' });
    answer.end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>injected</Message></Error>`);
  });
};

/** Forwards chunks; the answer ends with them, unless they break off. */
const pass = async (chunks, answer) => {
  for await (const chunk of chunks) {
    if (chunk === BREAK) return new Promise((resolve) => answer.write('', resolve));
    await new Promise((resolve) => answer.write(chunk, resolve));
  }
  answer.end();
};

const BREAK = Symbol('break');

const corrupted = async function* (body, at) {
  let from = 0;
  for await (const chunk of body) {
    if (at >= from && at < from + chunk.length) chunk[at - from] ^= 1;
    from += chunk.length;
    yield chunk;
  }
};

/** This many bytes of the body, then an error. */
const firstOf = async function* (body, bytes) {
  let left = bytes;
  for await (const chunk of body) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return yield BREAK;
  }
};
