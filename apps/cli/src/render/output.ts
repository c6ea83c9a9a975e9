import Table from 'cli-table3';
import pc from 'picocolors';
import { openProgress } from './progress.ts';
import type { Progress } from './progress.ts';
import type { Sink } from './sink.ts';

export type OutputOptions = Readonly<{ stdout: Sink; stderr: Sink; json: boolean; color: boolean | undefined }>;

const DEFAULT_WIDTH = 100;

/** Results go to stdout (one JSON document with --json), everything about the work to stderr. */
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

  /** The command's result: as JSON when that was asked for, else as `render` writes it. */
  result(value: unknown, render: () => void): void {
    if (this.isJson) this.#stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    else render();
  }

  /** One of a series without an end: a line of JSON each, when that was asked for. */
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

  /** Columns without borders; numbers are set to the right. */
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

  /** How far a long work is: a bar on a terminal, else a line now and then. */
  progress(label: string, total: number): Progress {
    return openProgress(this.#stderr, label, total);
  }
}

const NO_BORDERS = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid', 'mid', 'mid-mid']
    .concat(['right', 'right-mid', 'middle'])
    .map((name) => [name, '']),
);
