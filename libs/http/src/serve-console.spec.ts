import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { serveConsole } from './serve-console.ts';

@Controller()
class Root {
  @Get()
  root() {
    return { name: 'palimpsest' };
  }
}

@Module({ controllers: [Root] })
class RootModule {}

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('serving the console', () => {
  let folder: string;
  let app: NestFastifyApplication;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'palimpsest-console-'));
    app = await NestFactory.create<NestFastifyApplication>(RootModule, new FastifyAdapter(), { logger: false });
  });
  afterEach(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });

  const build = async (): Promise<void> => {
    await mkdir(join(folder, 'assets'));
    for (const [file, text] of [
      ['index.html', '<h1>page</h1>'],
      ['assets/index-AbCd_123.js', 'script()'],
      ['assets/index-AbCd_123.js.gz', 'as if it were compressed'],
      ['assets/mark.svg', '<svg/>'],
      ['secret.txt', 'secret'],
    ] as const)
      await writeFile(join(folder, file), text);
  };
  const served = async (): Promise<boolean> => {
    const isServed = await serveConsole(app, folder);
    await app.init();
    return isServed;
  };
  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers });

  it('returns the same page to browsers for each of its paths', async () => {
    await build();
    expect(await served()).toBe(true);
    for (const url of ['/', '/?a=b', '/search?q=x', '/documents', '/documents/abc', '/dead-letters']) {
      const { statusCode, body, headers } = await get(url, BROWSER);
      expect({ url, statusCode, body, cache: headers['cache-control'] }).toEqual({
        url,
        statusCode: 200,
        body: '<h1>page</h1>',
        cache: 'no-cache',
      });
      expect(headers['content-security-policy']).toMatch(/^default-src 'self';/);
    }
    expect((await get('/elsewhere', BROWSER)).statusCode).toBe(404);
  });

  it('leaves the root to its own route for requests that do not accept HTML', async () => {
    await build();
    await served();
    for (const accept of ['application/json', '*/*']) {
      const answer = await get('/', { accept });
      expect([answer.json(), answer.headers['vary']]).toEqual([{ name: 'palimpsest' }, 'accept']);
    }
  });

  it('serves files with a digest in their name as immutable, and compressed to clients that accept it', async () => {
    await build();
    await served();
    const plain = await get('/assets/index-AbCd_123.js');
    expect([plain.body, plain.headers['cache-control'], plain.headers['content-encoding']]).toEqual([
      'script()',
      'public, max-age=31536000, immutable',
      undefined,
    ]);
    const compressed = await get('/assets/index-AbCd_123.js', { 'accept-encoding': 'gzip' });
    expect([compressed.body, compressed.headers['cache-control'], compressed.headers['content-encoding']]).toEqual([
      'as if it were compressed',
      'public, max-age=31536000, immutable',
      'gzip',
    ]);
    expect((await get('/assets/mark.svg')).headers['cache-control']).toBe('no-cache');
  });

  it('serves no file outside its assets', async () => {
    await build();
    await served();
    for (const url of ['/secret.txt', '/assets/../secret.txt', '/assets/..%2fsecret.txt', '/assets/%2e%2e/secret.txt', '/assets/none.js'])
      expect({ url, statusCode: (await get(url)).statusCode }).toEqual({ url, statusCode: 404 });
  });

  it('does nothing if the console is not built', async () => {
    expect(await served()).toBe(false);
    expect((await get('/', BROWSER)).json()).toEqual({ name: 'palimpsest' });
    expect((await get('/search', BROWSER)).statusCode).toBe(404);
  });
});
