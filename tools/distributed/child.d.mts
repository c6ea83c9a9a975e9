/** How a process ended, and the end of what it wrote to standard error. */
export type Ended = Readonly<{ code: number | null; signal: NodeJS.Signals | null; errors: string }>;

export type Child = Readonly<{
  name: string;
  pid: number;
  /** What the line that said "ready" named. */
  address: string;
  /** By their first word, what its lines said. */
  lines: Readonly<Record<string, string>>;
  ended: Promise<Ended>;
  errors: () => string;
  /** SIGTERM. */
  stop: () => Promise<Ended>;
  /** SIGKILL. */
  kill: () => Promise<Ended>;
  signal: (signal: NodeJS.Signals) => boolean;
}>;
