export type Cancel = () => void;

/** `background`: the timer does not keep the process alive. */
export type TimerOptions = Readonly<{ background?: boolean }>;

/** Runs work later. */
export interface Scheduler {
  /** Calls `run` once, after at least `ms` milliseconds. */
  after(ms: number, run: () => void, options?: TimerOptions): Cancel;
  /** Calls `run` every `ms` milliseconds. */
  every(ms: number, run: () => void, options?: TimerOptions): Cancel;
  /** Calls `run` once the event loop has handled the I/O that is waiting. */
  soon(run: () => void): void;
}

export const systemScheduler: Scheduler = {
  after: (ms, run, { background = false } = {}) => {
    const timer = setTimeout(run, ms);
    if (background) timer.unref();
    return () => clearTimeout(timer);
  },
  every: (ms, run, { background = false } = {}) => {
    const timer = setInterval(run, ms);
    if (background) timer.unref();
    return () => clearInterval(timer);
  },
  soon: (run) => void setImmediate(run),
};

/** Resolves once the event loop has handled the I/O that is waiting. */
export const nextTurn = (scheduler: Pick<Scheduler, 'soon'>): Promise<void> => new Promise((resolve) => scheduler.soon(resolve));
