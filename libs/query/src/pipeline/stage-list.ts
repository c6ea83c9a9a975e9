import type { Stage } from './stage.ts';
import type { StageRun } from './stage-run.ts';

/**
 * Stages in the order in which they run. `Start`: the state before the first one. `Added`: what all of them add to it. The compiler
 * refuses a stage that needs something that no earlier stage adds.
 */
export class StageList<Start extends object, Added extends object> {
  readonly run: (start: Start, run: StageRun) => Promise<Added>;

  private constructor(run: (start: Start, run: StageRun) => Promise<Added>) {
    this.run = run;
  }

  static startingWith<Start extends object>(): StageList<Start, object> {
    return new StageList(async () => ({}));
  }

  next<More extends object>(stage: Stage<Start & Added, More>): StageList<Start, Added & More> {
    return this.#with((state, run) => run.stage(stage, state));
  }

  /** Two lists that run at the same time. Both start with the current state, and neither sees what the other adds. */
  parallel<One extends object, Other extends object>(
    one: (branch: StageList<Start & Added, object>) => StageList<Start & Added, One>,
    other: (branch: StageList<Start & Added, object>) => StageList<Start & Added, Other>,
  ): StageList<Start, Added & One & Other> {
    const [first, second] = [one(StageList.startingWith()), other(StageList.startingWith())];
    return this.#with(async (state, run) => {
      const [added, alsoAdded] = await Promise.all([first.run(state, run), second.run(state, run)]);
      return { ...added, ...alsoAdded };
    });
  }

  #with<More extends object>(more: (state: Start & Added, run: StageRun) => Promise<More>): StageList<Start, Added & More> {
    return new StageList(async (start, run) => {
      const added = await this.run(start, run);
      return { ...added, ...(await more({ ...start, ...added }, run)) };
    });
  }
}
