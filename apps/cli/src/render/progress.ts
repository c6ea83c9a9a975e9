import cliProgress from 'cli-progress';
import type { Sink } from './sink.ts';

/** `note` adds information to the count, such as waiting for the server or failures. */
export interface Progress {
  update(done: number, note?: string): void;
  stop(): void;
}

export const openProgress = (sink: Sink, label: string, total: number): Progress =>
  sink.isTTY === true ? openBar(sink, label, total) : openLines(sink, label, total);

const openBar = (sink: Sink, label: string, total: number): Progress => {
  const bar = new cliProgress.SingleBar({
    format: `${label} {bar} {value}/{total} {note}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    // A TTY sink is a stream; `Sink` declares only what other code needs.
    stream: sink as NodeJS.WritableStream,
  });
  bar.start(total, 0, { note: '' });
  return { update: (done, note = '') => bar.update(done, { note }), stop: () => bar.stop() };
};

/** One line per tenth of the work, so that a log stays readable. */
const openLines = (sink: Sink, label: string, total: number): Progress => {
  let printedTenth = 0;
  let printedNote = '';
  const print = (done: number, note: string): void => {
    sink.write(`${label} ${done} of ${total}${note === '' ? '' : ` (${note})`}\n`);
  };
  return {
    update: (done, note = '') => {
      const tenth = total === 0 ? 10 : Math.floor((done * 10) / total);
      if (tenth <= printedTenth && (note === '' || note === printedNote)) return;
      printedTenth = Math.max(tenth, printedTenth);
      printedNote = note;
      print(done, note);
    },
    stop: () => undefined,
  };
};
