import { createParser } from 'eventsource-parser';

/** One message of a stream of server-sent events. `at` without data is a heartbeat: no message up to that position is missing. */
export type StreamMessage = Readonly<{ id: string | undefined; event: string; data: string }> | Readonly<{ at: string }>;

/** A heartbeat is a comment with the position reached, so that a later connection need not read again what the filter left out. */
const HEARTBEAT = /^\s*at ([0-9]{1,20})$/;

/** The messages of a body, as they arrive. Leaving the iteration closes the connection. */
export async function* readStream(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamMessage> {
  let arrived: StreamMessage[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => void arrived.push({ id, event: event ?? 'message', data }),
    onComment: (comment) => {
      const at = HEARTBEAT.exec(comment)?.[1];
      if (at !== undefined) arrived.push({ at });
    },
  });
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parser.feed(part.value);
      yield* arrived;
      arrived = [];
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
