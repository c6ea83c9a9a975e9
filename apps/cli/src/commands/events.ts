import { REQUEST_LIMITS } from '@palimpsest/client';
import type { EventFilter, EventView } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import { anyLength, collect } from '../options.ts';
import { cut } from '../render/highlight.ts';
import { noteMore } from '../render/more.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';

type ListOptions = Readonly<{
  type?: readonly string[];
  document?: string;
  kb?: string;
  scope?: string;
  stream?: string;
  oldestFirst?: boolean;
  limit: number;
  follow?: boolean;
  after?: string;
}>;

export const addEvents: AddCommand = (program, asAction) => {
  const events = program.command('events').description('Read the event log, as far as the key allows.');
  events
    .command('list', { isDefault: true })
    .description('List events, newest first, or follow them as they are recorded.')
    .option('--type <type>', 'only events of this type; may be repeated', collect)
    .option('--document <id>', 'only events of this document')
    .option('--kb <id>', 'only events of this knowledge base and its documents')
    .option('--scope <scope>', 'only events of this scope')
    .option('--stream <name>', 'only events of this stream')
    .option('--oldest-first', 'start with the oldest event')
    .option('--limit <number>', 'maximum number of events', anyLength, 50)
    .option('--follow', 'print new events as they are recorded, until interrupted')
    .option('--after <position>', 'with --follow: start after this position instead of now')
    .action(asAction(list));
  events.command('show').description('Show one event with its data.').argument('<position>').action(asAction(show));
};

const filterOf = ({ type, document, kb, scope, stream }: ListOptions): EventFilter => ({
  types: type,
  document,
  knowledgeBase: kb,
  scope,
  stream,
});

const list = async (session: Session, options: ListOptions): Promise<number> => {
  if (options.follow) return follow(session, options);
  const { output, signal } = session;
  const { limit, oldestFirst } = options;
  const found: EventView[] = [];
  const pages = session
    .connect()
    .events.listAll(
      { ...filterOf(options), direction: oldestFirst ? 'forwards' : 'backwards', limit: Math.min(limit + 1, REQUEST_LIMITS.page.events) },
      { signal },
    );
  // Requests one more than it shows, to learn whether there are more.
  for await (const event of pages) if (found.push(event) > limit) break;
  const more = found.length > limit;
  const shown = found.slice(0, limit);
  output.result({ events: shown, more }, () => {
    if (shown.length === 0) return output.line('no events');
    printAll(output, shown);
    noteMore(output, { shown: shown.length, more, what: 'events' });
  });
  return EXIT.ok;
};

const follow = async (session: Session, options: ListOptions): Promise<number> => {
  const { output, signal } = session;
  const stream = session.connect().events.follow(filterOf(options), {
    after: options.after,
    signal,
    onReconnect: ({ reason, delayMs }) => output.note(`the stream ended (${reason}); reconnecting in ${Math.ceil(delayMs / 1_000)} s`),
  });
  for await (const event of stream) output.item(event, () => output.line(rowOf(event).join('  ')));
  // The stream ends only when the command is interrupted.
  signal.throwIfAborted();
  return EXIT.ok;
};

const printAll = (output: Output, events: readonly EventView[]): void =>
  output.table(
    ['position', 'recorded', 'type', 'about', 'by', 'bytes'],
    events.map((event) => [...rowOf(event)]),
  );

const rowOf = ({ position, recordedAt, type, content, stream, actor, bytes, category }: EventView): readonly string[] => [
  position,
  recordedAt,
  type,
  content === 'open' ? cut(stream ?? category, 60) : `${category} (${content})`,
  cut(actor, 45),
  String(bytes),
];

const show = async (session: Session, _options: unknown, position: string): Promise<number> => {
  const { output, signal } = session;
  const event = await session.connect().events.get(position, { signal });
  output.result(event, () => {
    const { data, ...envelope } = event;
    for (const [name, value] of Object.entries(envelope)) output.line(`${output.colors.dim(name.padEnd(14))} ${String(value)}`);
    if (data) output.line(JSON.stringify(data, null, 2));
  });
  return EXIT.ok;
};
