/** How a process ended, and the end of its standard error. */
export type Ended = Readonly<{ code: number | null; signal: NodeJS.Signals | null; errors: string }>;

export type Child = Readonly<{
  name: string;
  pid: number;
  /** The address in the "ready" line. */
  address: string;
  /** The rest of its lines, by their first word. */
  lines: Readonly<Record<string, string>>;
  ended: Promise<Ended>;
  errors: () => string;
  /** SIGTERM. */
  stop: () => Promise<Ended>;
  /** SIGKILL. */
  kill: () => Promise<Ended>;
  signal: (signal: NodeJS.Signals) => boolean;
}>;
