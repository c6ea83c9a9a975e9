/** The simplest model of `EventLog.append`: a list of event ids. */
export type ModelEvent = Readonly<{ id: string; stream: string; revision: number }>;

export class EventLogModel {
  readonly events: ModelEvent[] = [];

  last(stream: string): number | 'no-stream' {
    return this.events.findLast((event) => event.stream === stream)?.revision ?? 'no-stream';
  }

  append(stream: string, ids: readonly string[], expected: number | 'no-stream') {
    const actual = this.last(stream);
    const first = expected === 'no-stream' ? 0 : expected + 1;
    const wanted = ids.map((id, at) => ({ id, stream, revision: first + at }));
    const there = ids.map((id) => this.events.find((event) => event.id === id));
    const revision = first + ids.length - 1;
    if (wanted.every((event, at) => there[at]?.stream === stream && there[at]?.revision === event.revision))
      return { outcome: 'appended', revision, repeated: true };
    if (expected !== actual || there.some((event) => event !== undefined)) return { outcome: 'conflict', actual };
    this.events.push(...wanted);
    return { outcome: 'appended', revision, repeated: false };
  }
}
