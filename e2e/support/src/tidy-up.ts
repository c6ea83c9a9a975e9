type TidyUp = () => Promise<unknown>;

const pending: TidyUp[] = [];

/** Runs after the suite, in reverse order. Unlike hooks of Jest, it can be registered during a test. */
export const afterSuite = (work: TidyUp): void => {
  pending.push(work);
};

afterAll(async () => {
  for (const work of pending.splice(0).reverse()) await work();
});
