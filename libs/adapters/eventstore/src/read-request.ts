import type { Position } from '@palimpsest/knowledge/values';
import { pairOf } from './positions.ts';
import { Empty, ReadRequest, streamIdentifier, type ReadReq } from './protocol.ts';

const { Options } = ReadRequest;
type Options = InstanceType<typeof Options>;

/** Events that a filtered subscription reads before it sends a checkpoint; also the page size of the server. */
const WINDOW = 512;

export type Direction = 'forwards' | 'backwards';

const common = (direction: Direction): Options => {
  const options = new Options();
  const ids = new Options.UUIDOption();
  ids.setString(new Empty());
  options.setUuidOption(ids);
  options.setReadDirection(direction === 'forwards' ? 0 : 1);
  options.setResolveLinks(false);
  return options;
};

const request = (options: Options): ReadReq => {
  const message = new ReadRequest();
  message.setOptions(options);
  return message;
};

/** `from`: the first revision to return; default the first or, backwards, the last. `count`: 1 or more. */
export const streamRead = (name: string, direction: Direction, from: number | undefined, count: number): ReadReq => {
  const options = common(direction);
  const stream = new Options.StreamOptions();
  stream.setStreamIdentifier(streamIdentifier(name));
  if (from !== undefined) stream.setRevision(String(from));
  else if (direction === 'forwards') stream.setStart(new Empty());
  else stream.setEnd(new Empty());
  options.setStream(stream);
  options.setNoFilter(new Empty());
  options.setCount(String(count));
  return request(options);
};

const allFrom = (from: Position | 'end'): InstanceType<typeof Options.AllOptions> => {
  const all = new Options.AllOptions();
  const pair = from === 'end' ? undefined : pairOf(from);
  if (from === 'end') all.setEnd(new Empty());
  else if (pair === undefined) all.setStart(new Empty());
  else {
    const position = new Options.Position();
    position.setCommitPosition(String(pair.commit));
    position.setPreparePosition(String(pair.prepare));
    all.setPosition(position);
  }
  return all;
};

const typeFilter = (regex: string, window: number): InstanceType<typeof Options.FilterOptions> => {
  const filter = new Options.FilterOptions();
  const expression = new Options.FilterOptions.Expression();
  expression.setRegex(regex);
  filter.setEventType(expression);
  filter.setMax(window);
  filter.setCheckpointintervalmultiplier(1);
  return filter;
};

/** Events of the types that match `regex`. Forwards, the server includes the event at `from`; backwards, it does not. */
export const allRead = (direction: Direction, from: Position | 'end', count: number, regex: string): ReadReq => {
  const options = common(direction);
  options.setAll(allFrom(from));
  options.setFilter(typeFilter(regex, WINDOW));
  options.setCount(String(count));
  return request(options);
};

/** One event of any kind. */
export const unfilteredRead = (direction: Direction, from: Position): ReadReq => {
  const options = common(direction);
  options.setAll(allFrom(from));
  options.setNoFilter(new Empty());
  options.setCount('1');
  return request(options);
};

/** Everything after `after` (exclusive). `window`: events between two checkpoints. */
export const allSubscription = (after: Position | 'end', regex: string, window = WINDOW): ReadReq => {
  const options = common('forwards');
  options.setAll(allFrom(after));
  options.setFilter(typeFilter(regex, window));
  options.setSubscription(new Options.SubscriptionOptions());
  return request(options);
};
