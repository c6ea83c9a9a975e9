/** A promise that is settled from outside. Replace with `Promise.withResolvers` once the workspace's `lib` has it. */
export type Deferred<T> = Readonly<{ promise: Promise<T>; resolve: (value: T) => void; reject: (reason: unknown) => void }>;

export const deferred = <T>(): Deferred<T> => {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
};
