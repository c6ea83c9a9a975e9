/** Called before each batch. Throws to stop the work there; what was recorded before is kept. */
export type Gate = () => Promise<void>;

export const OPEN: Gate = async () => undefined;

/** Called when a batch has ended, however it ended. */
export type EndTurn = () => void;

/** Asked before each batch. `gate` is called at least once, and while it waits; it may throw. */
export interface Turns {
  /** @throws what the gate throws, and the reason of the signal */
  next(signal: AbortSignal, gate: Gate): Promise<EndTurn>;
}

/** Never waits. */
export const FULL_SPEED: Turns = {
  next: async (_, gate) => {
    await gate();
    return () => undefined;
  },
};
