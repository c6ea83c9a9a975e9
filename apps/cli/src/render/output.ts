import Table from 'cli-table3';
import pc from 'picocolors';
import { openProgress } from './progress.ts';
import type { Progress } from './progress.ts';
import type { Sink } from './sink.ts';

export type OutputOptions = Readonly<{ stdout: Sink; stderr: Sink; json: boolean; color: boolean | undefined }>;

const DEFAULT_WIDTH = 100;

/** Results go to stdout (one JSON document with --json), progress and notes to stderr. */
export class Output {
  readonly colors: ReturnType<typeof pc.createColors>;
  readonly isJson: boolean;
  readonly #stdout: Sink;
  readonly #stderr: Sink;

  constructor({ stdout, stderr, json, color }: OutputOptions) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.isJson = json;
    this.colors = pc.createColors(color ?? stdout.isTTY === true);
  }

  /** Characters in a line. */
  get width(): number {
    return this.#stdout.columns ?? DEFAULT_WIDTH;
  }

  /** Whether a person watches notes and progress. */
  get isWatched(): boolean {
    return this.#stderr.isTTY === true;
  }

  /** Prints the result of a command: as JSON with --json, otherwise with `render`. */
  result(value: unknown, render: () => void): void {
    if (this.isJson) this.#stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    else render();
  }

  /** Prints one item of an endless series: as one line of JSON with --json, otherwise with `render`. */
  item(value: unknown, render: () => void): void {
    if (this.isJson) this.#stdout.write(`${JSON.stringify(value)}\n`);
    else render();
  }

  line(text = ''): void {
    this.#stdout.write(`${text}\n`);
  }

  note(text: string): void {
    this.#stderr.write(`${text}\n`);
  }

  /** Columns without borders; numbers are aligned to the right. */
  table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
    const table = new Table({
      head: head.map((name) => this.colors.dim(name)),
      chars: NO_BORDERS,
      style: { 'padding-left': 0, 'padding-right': 2, head: [], border: [] },
      colAligns: head.map((_, column) => (rows.length > 0 && rows.every((row) => typeof row[column] === 'number') ? 'right' : 'left')),
    });
    table.push(...rows.map((row) => row.map(String)));
    for (const line of table.toString().split('\n')) this.line(line.trimEnd());
  }

  /** Progress of a long command: a bar on a terminal, otherwise a line from time to time. */
  progress(label: string, total: number): Progress {
    return openProgress(this.#stderr, label, total);
  }
}

const NO_BORDERS = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid', 'mid', 'mid-mid']
    .concat(['right', 'right-mid', 'middle'])
    .map((name) => [name, '']),
);
