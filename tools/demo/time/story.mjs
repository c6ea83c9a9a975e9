import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { styleText } from 'node:util';
import { readConfig, runCli } from '@palimpsest/cli';

/** Node's `fetch` reports each request here. */
const REQUESTS = 'undici:request:create';
const SAFE = /^[\w@%+=:,./-]+$/u;

const quoted = (argument) => (SAFE.test(argument) ? argument : `'${argument}'`);
const indented = (text) => text.trimEnd().replaceAll(/^(?=.)/gmu, '    ');
const ID = /[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu;
const routeOf = ({ method, path }) => `${method} ${path.split('?')[0].replaceAll(ID, '{id}')}`;

/** Exit code 1 is an answer: not identical, not valid. */
const checked = (args, ran) => {
  if (ran.code > 1) throw new Error(`palimpsest ${args[0]} ended with exit code ${ran.code}: ${ran.err.trim()}`);
  return ran;
};

/** Plays commands in the terminal, with the requests that they send, and counts what did not hold. */
export class Story {
  #cwd;
  #environment;
  #began = performance.now();
  #expectations = 0;
  #held = 0;
  #steps = 0;
  failures = [];

  /** `environment`: the settings of the commands, such as `PALIMPSEST_URL`. */
  constructor(cwd, environment) {
    this.#cwd = cwd;
    this.#environment = environment;
  }

  /** What is done, and what is to be seen. */
  step(title, text) {
    console.log(`\n${styleText('bold', `${++this.#steps}. ${title}`)}  ${styleText('dim', `after ${this.#seconds()} s`)}\n${text}`);
  }

  /** Runs a command of the command line and shows it with its output. Returns the output. @throws if it could not run */
  async run(...args) {
    const ran = await this.#shown(args);
    console.log(indented(ran.out));
    return checked(args, ran).out;
  }

  /** Runs a command that the platform refuses. Returns why. */
  async refused(...args) {
    const { err } = await this.#shown(args);
    console.log(indented(err));
    return err;
  }

  /** What a command that only reads prints with `--json`, for the expectations. */
  async read(...args) {
    return JSON.parse(checked(args, await this.#command([...args, '--json'])).out);
  }

  expect(sentence, holds) {
    this.#expectations++;
    if (holds) this.#held++;
    else this.failures.push(sentence);
    console.log(`  ${holds ? styleText('green', '✓') : styleText('red', '✗ not so:')} ${sentence}`);
  }

  /** The story cannot go on. */
  breakOff(error) {
    this.failures.push(`step ${this.#steps} broke off: ${error.message}`);
  }

  end() {
    console.log();
    for (const sentence of this.failures) console.log(styleText('red', `not so: ${sentence}`));
    const held = `${this.#held} of ${this.#expectations} expectations held`;
    console.log(`${styleText('bold', held)} in ${this.#seconds()} s`);
  }

  #seconds() {
    return ((performance.now() - this.#began) / 1_000).toFixed(0);
  }

  /** Shows a command and the requests that it sends. */
  async #shown(args) {
    console.log(`\n  ${styleText('cyan', `$ npx palimpsest ${args.map(quoted).join(' ')}`)}`);
    const routes = new Set();
    const onRequest = ({ request }) => void routes.add(routeOf(request));
    subscribe(REQUESTS, onRequest);
    const ran = await this.#command(args);
    unsubscribe(REQUESTS, onRequest);
    for (const route of routes) console.log(`    ${styleText('dim', route)}`);
    return ran;
  }

  async #command(args) {
    let [out, err] = ['', ''];
    const code = await runCli(args, {
      stdout: { write: (text) => (out += text), isTTY: process.stdout.isTTY, columns: process.stdout.columns },
      stderr: { write: (text) => (err += text) },
      cwd: this.#cwd,
      config: readConfig(this.#environment),
      signal: new AbortController().signal,
    });
    return { code, out, err };
  }
}
