import cliProgress from 'cli-progress';
import type { Sink } from './sink.ts';

/** `note` says what is going on beside the count (waiting for the server, failures). */
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
    // A TTY sink is a stream; our type only says what everything else needs of it.
    stream: sink as NodeJS.WritableStream,
  });
  bar.start(total, 0, { note: '' });
  return { update: (done, note = '') => bar.update(done, { note }), stop: () => bar.stop() };
};

/** One line per tenth of the work, so that a log stays readable. */
const openLines = (sink: Sink, label: string, total: number): Progress => {
  let toldTenth = 0;
  let toldNote = '';
  const tell = (done: number, note: string): void => {
    sink.write(`${label} ${done} of ${total}${note === '' ? '' : ` (${note})`}\n`);
  };
  return {
    update: (done, note = '') => {
      const tenth = total === 0 ? 10 : Math.floor((done * 10) / total);
      if (tenth <= toldTenth && (note === '' || note === toldNote)) return;
      toldTenth = Math.max(tenth, toldTenth);
      toldNote = note;
      tell(done, note);
    },
    stop: () => undefined,
  };
};
