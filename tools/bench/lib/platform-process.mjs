import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuMs, residentBytes } from './processes.mjs';

const MAIN = fileURLToPath(new URL('../../../apps/platform/dist/main.js', import.meta.url));
const POLL_MS = 50;
const PER_REQUEST = 20;

/** The real platform (`node apps/platform/dist/main.js`) on a folder, and what a benchmark asks of it over HTTP. */
export class PlatformProcess {
  #child;
  #authorization;
  #agent = new Agent({ keepAlive: true });
  url;
  /** From spawning to the first 200 of /health/ready, ms. */
  readyAfterMs;

  /** `core`: the one processor that it may use, of Linux's count; all of them unless it is told. */
  static async start(data, settings = {}, { core, nodeOptions = [] } = {}) {
    const platform = new PlatformProcess();
    const began = performance.now();
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PALIMPSEST_') && name !== 'NODE_OPTIONS');
    const env = {
      ...Object.fromEntries(inherited),
      PALIMPSEST_DATA: data,
      PALIMPSEST_PORT: '0',
      PALIMPSEST_SAMPLES: 'false',
      PALIMPSEST_LOG_LEVEL: 'warn',
      PALIMPSEST_QUEUE_CAPACITY: '1000000',
      ...settings,
    };
    const command = [...(core === undefined ? [] : ['taskset', '-c', String(core)]), process.execPath, ...nodeOptions, MAIN];
    const child = spawn(command[0], command.slice(1), { env, stdio: ['ignore', 'pipe', 'inherit'] });
    platform.#child = child;
    process.once('exit', () => child.kill('SIGKILL'));
    platform.url = await listening(child);
    while ((await fetch(`${platform.url}/health/ready`)).status !== 200) await sleep(5);
    platform.readyAfterMs = performance.now() - began;
    platform.#authorization = `Bearer ${readFileSync(join(data, 'keys', 'local-api-key'), 'utf8').trim()}`;
    return platform;
  }

  /** By Node's plain client with connections that stay open: `fetch` takes 0.8 ms more a request, which is none of the platform's. @throws when the answer is no success */
  async ask(method, path, body) {
    const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = { authorization: this.#authorization, ...(sent ? { 'content-type': 'application/json', 'content-length': sent.length } : {}) };
    const { status, text } = await new Promise((resolve, reject) => {
      const asked = request(`${this.url}${path}`, { method, headers, agent: this.#agent }, (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part)).on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(parts).toString() }));
      });
      asked.on('error', reject).end(sent);
    });
    if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
    return JSON.parse(text);
  }

  /** One request per document, `PER_REQUEST` at a time. Answers the outcome of each. */
  async submit(documents) {
    const outcomes = [];
    for (let i = 0; i < documents.length; i += PER_REQUEST) {
      const some = documents.slice(i, i + PER_REQUEST);
      const answers = await Promise.all(
        some.map(({ name, text, mediaType }) =>
          this.ask('POST', '/v1/documents', { sourceId: name, text, ...(mediaType ? { mediaType } : {}) }),
        ),
      );
      outcomes.push(...answers.flatMap((answer) => answer.documents));
    }
    return outcomes;
  }

  /** Until nothing waits or is worked on, and as many documents as were told are there. */
  async settled(total) {
    for (;;) {
      const status = await this.ask('GET', '/v1/status');
      const { pending, processing, indexed, failed } = status.documents;
      if (pending + processing === 0 && indexed + failed >= total) return status;
      await sleep(POLL_MS);
    }
  }

  /** The texts that were embedded, as they went to the model: what stands above a chunk, then the chunk. */
  async chunkTexts() {
    const texts = [];
    for (let cursor; ;) {
      const page = await this.ask('GET', `/v1/documents?limit=100${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      for (const { documentId } of page.documents) texts.push(...(await this.#textsOf(documentId)));
      cursor = page.next;
      if (cursor === undefined) return texts;
    }
  }

  async #textsOf(documentId) {
    const texts = [];
    for (let cursor; ;) {
      const page = await this.ask('GET', `/v1/documents/${documentId}/chunks?limit=100${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      texts.push(...page.chunks.map(({ contextPrefix, text }) => (contextPrefix ? `${contextPrefix}\n${text}` : text)));
      cursor = page.next;
      if (cursor === undefined) return texts;
    }
  }

  get pid() {
    return this.#child.pid;
  }

  cpuMs() {
    return cpuMs(this.#child.pid);
  }

  resident() {
    return residentBytes(this.#child.pid);
  }

  async stop() {
    this.#agent.destroy();
    this.#child.kill('SIGTERM');
    await once(this.#child, 'close');
  }
}

const listening = (child) =>
  new Promise((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      const url = / listens on (\S+)/.exec(output)?.[1];
      if (url) resolve(url);
    });
    child.once('close', (code) => reject(new Error(`the platform ended with ${code} while starting (npm run build first)`)));
  });
