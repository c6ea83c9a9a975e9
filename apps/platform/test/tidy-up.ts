type TidyUp = () => Promise<unknown>;

const pending: TidyUp[] = [];

/** Done after the suite, last first: hooks may not be registered by what runs inside a test, this may. */
export const afterSuite = (work: TidyUp): void => {
  pending.push(work);
};

afterAll(async () => {
  for (const work of pending.splice(0).reverse()) await work();
});
