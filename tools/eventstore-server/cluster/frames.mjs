import { deserialize, serialize } from 'node:v8';

/** Messages between nodes: four bytes of length, then the value. */
export const frame = (value) => {
  const body = serialize(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
};

/** Calls `onMessage` for each message that arrives on the socket. */
export const onFrames = (socket, onMessage) => {
  let rest = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE()) {
      const end = 4 + rest.readUInt32BE();
      const body = rest.subarray(4, end);
      rest = rest.subarray(end);
      onMessage(deserialize(body));
    }
  });
};
