/**
 * A `fetch` for short answers: reads at most `maxBytes` of one (after decompression), and follows no redirect, so that texts and key reach
 * the configured address only.
 */
export const cautiousFetch =
  (maxBytes: number): typeof fetch =>
  async (input, init) => {
    const answer = await fetch(input, { ...init, redirect: 'error' });
    if (answer.body === null) return answer;
    let bytes = 0;
    const limit = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (part, controller) => {
        bytes += part.byteLength;
        if (bytes > maxBytes) controller.error(new Error('the answer is too long'));
        else controller.enqueue(part);
      },
    });
    const { status, statusText, headers } = answer;
    return new Response(answer.body.pipeThrough(limit), { status, statusText, headers });
  };
