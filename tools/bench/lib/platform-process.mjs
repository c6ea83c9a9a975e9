import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { JsonClient } from './json-client.mjs';
import { cpuMs, residentBytes } from './processes.mjs';

const MAIN = fileURLToPath(new URL('../../../apps/platform/dist/main.js', import.meta.url));
const POLL_MS = 50;
const PER_REQUEST = 20;

/** The real platform (`node apps/platform/dist/main.js`) on a folder, and the HTTP requests of a benchmark. */
export class PlatformProcess {
  #child;
  #client;
  url;
  /** The key of the local administrator. */
  apiKey;
  /** From spawning to the first 200 of /health/ready, ms. */
  readyAfterMs;

  /** `core`: number of the only processor that it may use, as Linux counts them; default all. `main`: default this checkout's. */
  static async start(data, settings = {}, { core, nodeOptions = [], main = MAIN } = {}) {
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
    const command = [...(core === undefined ? [] : ['taskset', '-c', String(core)]), process.execPath, ...nodeOptions, main];
    const child = spawn(command[0], command.slice(1), { env, stdio: ['ignore', 'pipe', 'inherit'] });
    platform.#child = child;
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('close', () => process.off('exit', kill));
    platform.url = await listening(child);
    while ((await fetch(`${platform.url}/health/ready`)).status !== 200) await sleep(5);
    platform.readyAfterMs = performance.now() - began;
    platform.apiKey = readFileSync(join(data, 'keys', 'local-api-key'), 'utf8').trim();
    platform.#client = new JsonClient(platform.url, platform.apiKey);
    return platform;
  }

  /** @throws when the status is not 2xx */
  ask(method, path, body) {
    return this.#client.ask(method, path, body);
  }

  /** One request per document, `PER_REQUEST` at a time. Returns the outcome of each. */
  async submit(documents) {
    const outcomes = [];
    for (let i = 0; i < documents.length; i += PER_REQUEST) {
      const some = documents.slice(i, i + PER_REQUEST);
      const answers = await Promise.all(
        some.map(({ name, text, mediaType, ...fields }) =>
          this.ask('POST', '/v1/documents', { ...fields, sourceId: name, text, ...(mediaType ? { mediaType } : {}) }),
        ),
      );
      outcomes.push(...answers.flatMap((answer) => answer.documents));
    }
    return outcomes;
  }

  /** Waits until no document is pending or processing and at least `total` documents exist. */
  async settled(total) {
    for (;;) {
      const status = await this.ask('GET', '/v1/status');
      const { pending, processing, indexed, failed } = status.documents;
      if (pending + processing === 0 && indexed + failed >= total) return status;
      await sleep(POLL_MS);
    }
  }

  /** The embedded texts as they were sent to the model: the context of a chunk, then the chunk. */
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

  /** SIGTERM: shuts down gracefully; SIGKILL: does not. */
  async stop(signal = 'SIGTERM') {
    this.#client.close();
    this.#child.kill(signal);
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
    child.once('close', (code) => reject(new Error(`the platform exited with code ${code} during startup (run npm run build first)`)));
  });
