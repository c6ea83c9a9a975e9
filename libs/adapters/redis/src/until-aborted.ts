/** The work's result, unless the signal aborts first. @throws the signal's reason */
export const untilAborted = async <Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> => {
  if (signal === undefined) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};
